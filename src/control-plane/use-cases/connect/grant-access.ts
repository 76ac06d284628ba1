import { createHash } from 'node:crypto'
import { VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import type { ClientCredential, Identity, Plane } from '../../plane/plane.ts'
import { boundRole } from '../../api/credential-bindings.ts'
import type { PlaneApi } from '../../api/plane-api.ts'
import type { ContextUser } from '../access/contexts.ts'
import { textAt } from '../../../shared/json-fields.ts'
import { objectPath } from '../../../shared/kube/collections.ts'

export interface GrantRequest {
  /** A user with a client certificate, or a ServiceAccount of the plane with a token. */
  subject: Identity | ServiceAccount
  lifetimeMs: number
  /** ClusterRole that the subject is bound to; with it, a missing ServiceAccount is created. */
  clusterRole?: string | undefined
  /** The name of a ClusterRoleBinding that is for nothing else. @default one for the subject and the ClusterRole */
  binding?: string | undefined
}

export interface ServiceAccount {
  namespace: string
  serviceAccount: string
}

export interface GrantDependencies {
  plane: Pick<Plane, 'name'>
  /** Signs a client certificate. */
  issue: (identity: Identity, lifetimeMs: number) => Promise<ClientCredential>
  /** The API of the plane. */
  api: Pick<PlaneApi, 'apply' | 'create' | 'delete' | 'get'>
}

/** The minimum that the API server accepts for a token. */
const SHORTEST_TOKEN_MS = 10 * 60 * 1000

/**
 * Returns a credential for someone else, as a kubeconfig stores it.
 * @throws {VplaneError} `NOT_FOUND` when the ClusterRole, namespace or ServiceAccount does not exist, `USAGE` when the
 * lifetime is too short for a token.
 */
export async function grantAccess(
  { api, issue, plane }: GrantDependencies,
  { binding, clusterRole, lifetimeMs, subject }: GrantRequest,
  signal: AbortSignal,
): Promise<ContextUser> {
  if (clusterRole !== undefined) {
    await needObject(api, objectPath('clusterroles', { name: clusterRole }), {
      what: `ClusterRole "${clusterRole}"`,
      hints: [
        { action: 'connect', plane: { name: plane.name }, command: 'kubectl get clusterroles' },
      ],
      signal,
    })
  }
  const isAccount = 'serviceAccount' in subject
  if (isAccount) {
    await ensureServiceAccount(api, { ...subject, mayCreate: clusterRole !== undefined, signal })
  }
  await bind(api, { binding, clusterRole, subject }, signal)
  return isAccount
    ? { kind: 'token', token: await requestToken(api, { ...subject, lifetimeMs, signal }) }
    : { kind: 'embedded', access: await issue(subject, lifetimeMs) }
}

async function needObject(
  api: GrantDependencies['api'],
  path: string,
  { hints, signal, what }: { what: string; hints: readonly Hint[]; signal: AbortSignal },
): Promise<void> {
  if ((await api.get(path, { signal })) === undefined) {
    throw new VplaneError('NOT_FOUND', `there is no ${what} in the control plane`, { hints })
  }
}

async function ensureServiceAccount(
  api: GrantDependencies['api'],
  options: ServiceAccount & { mayCreate: boolean; signal: AbortSignal },
): Promise<void> {
  const { mayCreate, namespace, serviceAccount: name, signal } = options
  await needObject(api, objectPath('namespaces', { name: namespace }), {
    what: `namespace "${namespace}"`,
    hints: [`kubectl create namespace ${namespace}`],
    signal,
  })
  const path = objectPath('serviceaccounts', { name, namespace })
  if (mayCreate) {
    const metadata = { name, namespace }
    await api.apply(path, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }, { signal })
    return
  }
  await needObject(api, path, {
    what: `ServiceAccount "${namespace}/${name}"`,
    hints: [{ purpose: 'to create it and bind it to a role', clusterRole: 'ROLE' }],
    signal,
  })
}

/** A ClusterRoleBinding cannot change its role, so it is deleted and created again. */
async function bind(
  api: GrantDependencies['api'],
  { binding, clusterRole, subject }: Pick<GrantRequest, 'binding' | 'clusterRole' | 'subject'>,
  signal: AbortSignal,
): Promise<void> {
  if (binding !== undefined) {
    const role = await boundRole(api, binding, signal)
    if (role !== undefined && role !== clusterRole) {
      await api.delete(objectPath('clusterrolebindings', { name: binding }), { signal })
    }
  }
  if (clusterRole !== undefined) {
    const object = bindingOf(subject, clusterRole, binding)
    await api.apply(objectPath('clusterrolebindings', object.metadata), object, { signal })
  }
}

function bindingOf(
  subject: GrantRequest['subject'],
  clusterRole: string,
  given: string | undefined,
) {
  const isAccount = 'serviceAccount' in subject
  const account = isAccount ? `${subject.namespace}:${subject.serviceAccount}` : undefined
  const name =
    given ?? (isAccount ? `vplane:${clusterRole}:${account}` : nameFor(clusterRole, subject.user))
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: clusterRole },
    subjects: isAccount
      ? [{ kind: 'ServiceAccount', namespace: subject.namespace, name: subject.serviceAccount }]
      : [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: subject.user }],
  }
}

/** Names of users may have characters that names of objects may not. */
function nameFor(clusterRole: string, user: string): string {
  const isPlain = /^[\w.@-]+$/.test(user)
  const word = isPlain ? user : createHash('sha256').update(user).digest('hex').slice(0, 16)
  return `vplane:${clusterRole}:${word}`
}

async function requestToken(
  api: GrantDependencies['api'],
  options: ServiceAccount & { lifetimeMs: number; signal: AbortSignal },
): Promise<string> {
  const { lifetimeMs, namespace, serviceAccount, signal } = options
  if (lifetimeMs < SHORTEST_TOKEN_MS) {
    const message = 'the token of a ServiceAccount must be valid for at least 10 minutes'
    throw new VplaneError('USAGE', message, { hints: [{ expires: '10m' }] })
  }
  const path = `${objectPath('serviceaccounts', { name: serviceAccount, namespace })}/token`
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { expirationSeconds: Math.round(lifetimeMs / 1000) },
  }
  const token = textAt(await api.create(path, request, { signal }), 'status', 'token')
  if (token === undefined) {
    const message = `the API server returned no token for "${namespace}/${serviceAccount}"`
    throw new VplaneError('FAILED', message)
  }
  return token
}
