import { unlessChanged } from '../engine/object-cache.ts'
import { unlessStatus } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { toObjectKey } from '../scope/object-key.ts'
import { collectionPath, objectPath } from '../../shared/kube/collections.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { markerLabels, type OwnerReference } from '../translate/host-metadata.ts'
import { nodeNameOf } from '../translate/pod-fields.ts'
import type { TokenNeed } from '../translate/pod-draft/pod-draft.ts'
import { recordAt } from '../../shared/json-fields.ts'

/** Annotation on the Secret of a token: when the token has to be renewed. */
const RENEW_AT = 'vplane.dev/renew-at'

/** Annotation on the Secret of a token: the node that the token names; empty if its pod had none yet. */
const NODE = 'vplane.dev/token-node'

/** The part of a token's lifetime after which kubelets renew it. */
const RENEW_AFTER = 0.8

export interface TokenOptions {
  virtual: KubeObject
  needs: readonly TokenNeed[]
  /** The host pod, if it exists: the host deletes the Secrets of its tokens with it. */
  owner: KubeObject | undefined
}

type TokenContext = Pick<
  SyncContext,
  'scope' | 'host' | 'plane' | 'secrets' | 'surroundings' | 'now'
>

/**
 * Issues tokens that are missing or due. A pod that was bound to a node since then gets tokens that name the node, which the
 * host mostly reads in time: it must not wait for them, since its kubelets retry late.
 * @throws {Error} when the pod's service account does not exist yet.
 */
export async function ensureTokens(
  context: TokenContext,
  { needs, owner, virtual }: TokenOptions,
  signal: AbortSignal,
): Promise<void> {
  const { now, scope, secrets } = context
  const { namespace } = scope.host
  const due = needs.filter(({ secretName }) => {
    const known = secrets.host.get(toObjectKey({ name: secretName, namespace }))
    return known === undefined || isDue(known, now()) || lacksNode(known, owner)
  })
  await Promise.all(due.map((need) => issue(context, { virtual, need, owner }, signal)))
}

/** Makes a new host pod the owner of its tokens' Secrets; creates those that were just deleted with an earlier host pod. */
export async function adoptTokens(
  context: TokenContext,
  { needs, owner, virtual }: TokenOptions & { owner: KubeObject },
  signal: AbortSignal,
): Promise<void> {
  const { host, scope } = context
  const { namespace } = scope.host
  const adoption = { metadata: { ownerReferences: [toOwner(owner)] } }
  await Promise.all(
    needs.map(async (need) => {
      const path = objectPath('secrets', { name: need.secretName, namespace })
      const adopting = host.patch(path, adoption, { type: 'merge', signal })
      if ((await unlessChanged(adopting)) === undefined) {
        await issue(context, { virtual, need, owner }, signal)
      }
    }),
  )
}

async function issue(
  context: TokenContext,
  { need, owner, virtual }: Omit<TokenOptions, 'needs'> & { need: TokenNeed },
  signal: AbortSignal,
): Promise<void> {
  const { host, now, plane, scope, surroundings } = context
  const issued = await requestToken(plane, { need, pod: virtual, now: now() }, signal)
  const by = owner === undefined ? surroundings.owner : toOwner(owner)
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: need.secretName,
      namespace: scope.host.namespace,
      labels: markerLabels(scope, virtual.metadata.namespace),
      annotations: {
        [RENEW_AT]: issued.renewAt.toISOString(),
        [NODE]: nodeNameOf(owner) ?? nodeNameOf(virtual) ?? '',
      },
      ownerReferences: [by],
    },
    type: 'Opaque',
    // Never in an annotation, which anyone who may read pods can read.
    data: { [need.key]: Buffer.from(issued.token).toString('base64') },
  }
  const collection = collectionPath('secrets', scope.host.namespace)
  if ((await unlessStatus([409], host.create(collection, secret, { signal }))) === undefined) {
    await host.replace(objectPath('secrets', secret.metadata), secret, { signal })
  }
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

function isDue(secret: KubeObject, now: Date): boolean {
  const at = new Date(secret.metadata.annotations?.[RENEW_AT] ?? '').getTime()
  return !(at > now.getTime())
}

function lacksNode(secret: KubeObject, hostPod: KubeObject | undefined): boolean {
  return secret.metadata.annotations?.[NODE] === '' && nodeNameOf(hostPod) !== undefined
}

function toOwner({ metadata: { name = '', uid = '' } }: KubeObject): OwnerReference {
  return { apiVersion: 'v1', kind: 'Pod', name, uid }
}
