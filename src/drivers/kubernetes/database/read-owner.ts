import type { Access } from '../../../database/dialect/database-dialect.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { filesOf } from '../objects/plane-keys.ts'

const KEYS = ['username', 'password', 'ca.crt'] as const

export interface OwnerOptions {
  /** Of the spec. */
  credentialsSecret?: string | undefined
  namespace: string
  signal: AbortSignal
}

/**
 * The account of the owner of a server of databases, from the Secret that the spec of a plane names.
 * @throws {VplaneError} `FAILED` when the Secret is missing or not complete.
 */
export async function readOwner(
  api: Pick<HostApi, 'get'>,
  { credentialsSecret: name = '', namespace, signal }: OwnerOptions,
): Promise<Access> {
  const secret = await api.get(objectPath('secrets', { name, namespace }), { signal })
  const what = `Secret "${name}" in namespace "${namespace}"`
  const files = filesOf(secret?.['data'])
  const missing = KEYS.filter((key) => (files[key] ?? '') === '')
  if (missing.length > 0) {
    const lacks = secret === undefined ? 'does not exist' : `lacks ${missing.join(', ')}`
    throw new VplaneError(
      'FAILED',
      `cannot read the credentials for the database: ${what} ${lacks}`,
      {
        hints: [
          `kubectl --namespace ${namespace} create secret generic ${name} --type kubernetes.io/basic-auth --from-literal username=USER --from-file password=FILE --from-file ca.crt=FILE`,
        ],
      },
    )
  }
  const { 'ca.crt': certificateAuthority, password = '', username: user = '' } = files
  return { user, password, certificateAuthority }
}
