import { omitUndefined } from '../../../shared/omit-undefined.ts'

/** What a Secret with a credential contains. */
export const CREDENTIAL_FORMATS = ['kubeconfig', 'argocd', 'files'] as const
export type CredentialFormat = (typeof CREDENTIAL_FORMATS)[number]

/** The addresses that a Secret with a credential can name. */
export const CREDENTIAL_ADDRESSES = ['in-cluster', 'exposed'] as const
export type CredentialAddress = (typeof CREDENTIAL_ADDRESSES)[number]

/** A Secret of the host cluster with a credential for a plane, which is renewed. */
export interface CredentialSpec {
  /** Name of the Secret. */
  secret: string
  /** Its namespace on the host. @default the host namespace of the plane */
  namespace?: string
  format: CredentialFormat
  /** User of the plane, with a client certificate; `serviceAccount` otherwise. */
  user?: string
  groups?: string[]
  /** ServiceAccount of the plane as `NAMESPACE/NAME`, with a token. */
  serviceAccount?: string
  /** ClusterRole of the plane to which the user or the ServiceAccount is bound. @default none */
  clusterRole?: string
  address: CredentialAddress
  /** Lifetime of each credential: `24h`. */
  lifetime: string
}

/** The Secrets with credentials by the names of their entries. */
export type CredentialSpecs = Record<string, CredentialSpec>

type UserCredential = {
  [Field in keyof CredentialSpec]?: CredentialSpec[Field] | undefined
}

/** The `credentials` of a user's spec with every default filled in; undefined when there are none. */
export function resolveCredentials(
  entries: Record<string, UserCredential> = {},
): CredentialSpecs | undefined {
  const resolved = Object.entries(entries).map(([name, entry]) => [name, resolveOne(name, entry)])
  return resolved.length === 0 ? undefined : Object.fromEntries(resolved)
}

function resolveOne(name: string, entry: UserCredential): CredentialSpec {
  return omitUndefined({
    secret: entry.secret ?? name,
    namespace: entry.namespace,
    format: entry.format ?? 'kubeconfig',
    user: entry.user,
    groups: entry.groups,
    serviceAccount: entry.serviceAccount,
    clusterRole: entry.clusterRole,
    address: entry.address ?? 'in-cluster',
    lifetime: entry.lifetime ?? '24h',
  })
}

/** Whose credential it is: a user, or a ServiceAccount of the plane. */
export function subjectOf({
  groups = [],
  serviceAccount,
  user = '',
}: CredentialSpec):
  | { user: string; groups: readonly string[] }
  | { namespace: string; serviceAccount: string } {
  if (serviceAccount === undefined) {
    return { user, groups }
  }
  const [namespace = '', name = ''] = serviceAccount.split('/')
  return { namespace, serviceAccount: name }
}
