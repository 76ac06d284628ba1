import { unlessStatus } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import { toObjectKey } from '../scope/object-key.ts'
import { collectionOf, pathOf } from '../scope/resources.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { unlessChanged } from '../engine/unless-changed.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { markerLabels, type OwnerReference } from '../translate/host-metadata.ts'
import type { TokenNeed } from '../translate/pod-draft/pod-draft.ts'
import { isDue, RENEW_AT, requestToken } from './account-token.ts'

export interface TokenOptions {
  virtual: KubeObject
  needs: readonly TokenNeed[]
  /** The host pod, when it is there: the Secret of its tokens goes with it. */
  owner: KubeObject | undefined
}

type TokenContext = Pick<
  SyncContext,
  'scope' | 'host' | 'plane' | 'secrets' | 'surroundings' | 'now'
>

/**
 * Makes sure that the tokens of a pod are there and are not about to end.
 *
 * @throws {Error} when the pod's service account is not there yet.
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
    return known === undefined || isDue(known, now())
  })
  await Promise.all(due.map((need) => issue(context, { virtual, need, owner }, signal)))
}

/**
 * Makes the Secrets of tokens go with the host pod that was made after them. One that went with a former host pod of the
 * same virtual pod, which the cache did not know yet, is made anew.
 */
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
      const path = pathOf('secrets', { name: need.secretName, namespace })
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
  const { key, secretName } = need
  const issued = await requestToken(plane, { ...need, pod: virtual }, { now: now(), signal })
  if (issued === undefined) {
    throw new Error(`there is no service account "${need.account}" yet`)
  }
  const secret = tokenSecret(scope, {
    virtual,
    name: secretName,
    tokens: [[key, issued.token]],
    annotations: { [RENEW_AT]: issued.renewAt.toISOString() },
    owner: owner === undefined ? surroundings.owner : toOwner(owner),
  })
  const collection = collectionOf('secrets', scope.host.namespace)
  if ((await unlessStatus([409], host.create(collection, secret, { signal }))) === undefined) {
    await host.replace(`${collection}/${secretName}`, secret, { signal })
  }
}

function toOwner({ metadata: { name = '', uid = '' } }: KubeObject): OwnerReference {
  return { apiVersion: 'v1', kind: 'Pod', name, uid }
}

interface TokenSecretOptions {
  /** The pod that it is for. */
  virtual: KubeObject
  name: string
  /** Tokens by their keys. */
  tokens: ReadonlyArray<readonly [string, string]>
  annotations: Record<string, string>
  owner: OwnerReference | undefined
}

/** The Secret that holds the tokens of one host pod; never an annotation, which everybody may read who may read pods. */
function tokenSecret(
  scope: SyncScope,
  { annotations, name, owner, tokens, virtual }: TokenSecretOptions,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: scope.host.namespace,
      labels: markerLabels(scope, virtual.metadata.namespace),
      annotations,
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
    type: 'Opaque',
    data: Object.fromEntries(
      tokens.map(([key, token]) => [key, Buffer.from(token).toString('base64')]),
    ),
  }
}
