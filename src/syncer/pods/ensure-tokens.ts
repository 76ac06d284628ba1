import { createOrChange } from '../../kube/cache/object-cache.ts'
import { unlessStatus } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { keyOf, type ObjectKey, toObjectKey } from '../../kube/cache/object-key.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { markerLabels, type OwnerReference } from '../translate/host-metadata.ts'
import { UID_ANNOTATION } from '../translate/markers.ts'
import { nodeNameOf } from '../translate/pod-fields.ts'
import type { TokenNeed } from '../translate/pod-draft/pod-draft.ts'
import { type Json, recordAt, recordsAt } from '../../shared/json-fields.ts'

/** Annotation on the Secret of a token: when the token has to be renewed. */
const RENEW_AT = 'vplane.dev/renew-at'

/** The part of a token's lifetime after which kubelets renew it. */
const RENEW_AFTER = 0.8

/** The part of a host Secret that the syncer caches: tokens are only written. */
export function cachedHostSecret(secret: KubeObject): KubeObject {
  const { data: _, ...rest } = secret
  return isToken(secret) ? rest : secret
}

export interface TokenOptions {
  virtual: KubeObject
  needs: readonly TokenNeed[]
  /** The host pod, if it exists. Once it has a node, the host deletes the Secrets of its tokens with it. */
  owner: KubeObject | undefined
}

export interface TokenContext extends Pick<
  SyncContext,
  'scope' | 'host' | 'plane' | 'secrets' | 'surroundings' | 'now'
> {
  /** Whether the token that names the node may be issued in a later sync of the pod, for which this asks. */
  putOff: (pod: ObjectKey) => boolean
}

/**
 * Issues tokens that are missing or due. Their Secrets belong to the plane until the host pod is bound to a node: then
 * the pod gets tokens that name the node, and the host deletes them with it. It must not wait for the first ones, since
 * kubelets retry late; mostly they read the later ones in time. While many pods start, the later ones come after all of them.
 * @throws {Error} when the pod's service account does not exist yet.
 */
export async function ensureTokens(
  context: TokenContext,
  { needs, owner, virtual }: TokenOptions,
  signal: AbortSignal,
): Promise<void> {
  const { now, scope, secrets } = context
  const { namespace } = scope.host
  await Promise.all(
    needs.map(async (need) => {
      const known = secrets.host.get(toObjectKey({ name: need.secretName, namespace }))
      const isUrgent = known === undefined || isDue(known, now()) || isOfEarlier(known, owner)
      const isWanted = isUrgent || (!isOfNode(known, owner) && !context.putOff(keyOf(virtual)))
      if (isWanted) {
        await issue(context, { virtual, need, owner, isKnown: known !== undefined }, signal)
      }
    }),
  )
}

/**
 * Deletes tokens of pods that do not exist any more, and that no host pod owned: it was refused, or never bound to a node.
 */
export async function removeStrayTokens(
  { host, pods, secrets }: Pick<SyncContext, 'host' | 'pods' | 'secrets'>,
  signal: AbortSignal,
): Promise<void> {
  const tokens = [...secrets.host.values()].filter((secret) => isToken(secret) && !hasPod(secret))
  const known = new Set([...pods.virtual.values()].map(({ metadata }) => metadata.uid))
  const stray = tokens.filter(({ metadata }) => !known.has(metadata.annotations?.[UID_ANNOTATION]))
  for (const { metadata } of stray) {
    const { uid, resourceVersion } = metadata
    const path = objectPath('secrets', metadata)
    await unlessStatus([409], host.delete(path, { uid, resourceVersion, signal }))
  }
}

interface Issue extends Omit<TokenOptions, 'needs'> {
  need: TokenNeed
  /** Whether its Secret exists. */
  isKnown: boolean
}

async function issue(
  context: TokenContext,
  { isKnown, need, owner, virtual }: Issue,
  signal: AbortSignal,
): Promise<void> {
  const { host, now, plane, scope, surroundings } = context
  const issued = await requestToken(plane, { need, pod: virtual, now: now() }, signal)
  const by =
    owner === undefined || nodeNameOf(owner) === undefined ? surroundings.owner : toOwner(owner)
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: need.secretName,
      namespace: scope.host.namespace,
      labels: markerLabels(scope, virtual.metadata.namespace),
      annotations: {
        [RENEW_AT]: issued.renewAt.toISOString(),
        [UID_ANNOTATION]: virtual.metadata.uid ?? '',
      },
      ownerReferences: [by],
    },
    type: 'Opaque',
    // Never in an annotation, which anyone who may read pods can read.
    data: { [need.key]: Buffer.from(issued.token).toString('base64') },
  }
  const collection = collectionPath('secrets', scope.host.namespace)
  const create = () => host.create(collection, secret, { signal })
  const change = () => host.replace(objectPath('secrets', secret.metadata), secret, { signal })
  await createOrChange({ create, change }, { isKnown })
}

/** Requests a token from the plane that is bound to the pod, with the lifetime that the pod requests. */
async function requestToken(
  plane: TokenContext['plane'],
  { need, now, pod }: { need: TokenNeed; pod: KubeObject; now: Date },
  signal: AbortSignal,
): Promise<{ token: string; renewAt: Date }> {
  const { account, audience, expirationSeconds } = need
  const { name = '', namespace = '', uid } = pod.metadata
  const path = `${objectPath('serviceaccounts', { name: account, namespace })}/token`
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: {
      audiences: audience === undefined ? [] : [audience],
      expirationSeconds,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
    },
  }
  const answer = await unlessStatus([404], plane.create(path, request, { signal }))
  if (answer === undefined) {
    throw new Error(`service account "${account}" does not exist yet`)
  }
  const status = recordAt(answer, 'status') ?? {}
  const expiresAt = new Date(String(status['expirationTimestamp'])).getTime()
  return {
    token: String(status['token']),
    renewAt: new Date(now.getTime() + (expiresAt - now.getTime()) * RENEW_AFTER),
  }
}

function isToken({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[RENEW_AT] !== undefined
}

function isDue(secret: KubeObject, now: Date): boolean {
  const at = new Date(secret.metadata.annotations?.[RENEW_AT] ?? '').getTime()
  return !(at > now.getTime())
}

/** Whether a token is of an earlier host pod, which the host deletes it with. */
function isOfEarlier(secret: KubeObject, hostPod: KubeObject | undefined): boolean {
  return hasPod(secret) && ownerOf(secret)?.['uid'] !== hostPod?.metadata.uid
}

/** Whether a token names the node of its host pod, if that has one. */
function isOfNode(secret: KubeObject, hostPod: KubeObject | undefined): boolean {
  return hasPod(secret) || hostPod === undefined || nodeNameOf(hostPod) === undefined
}

function hasPod(secret: KubeObject): boolean {
  return ownerOf(secret)?.['kind'] === 'Pod'
}

function ownerOf(secret: KubeObject): Json | undefined {
  return recordsAt(secret, 'metadata', 'ownerReferences')[0]
}

function toOwner({ metadata: { name = '', uid = '' } }: KubeObject): OwnerReference {
  return { apiVersion: 'v1', kind: 'Pod', name, uid }
}
