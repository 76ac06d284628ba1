import type { Access } from '../../../database/dialect/database-dialect.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'
import { ownerFiles } from './owner-files.ts'

const KEYS = ['username', 'password', 'ca.crt'] as const

export interface OwnerOptions {
  /** Of the spec. */
  credentialsSecret?: string | undefined
  namespace: string
  signal: AbortSignal
}

/**
 * The account of the owner of a server of databases, from the Secret that the spec of a plane names.
 * @throws {VplaneError} `FAILED` when the Secret is missing or not complete, or has the line break of an editor.
 */
export async function readOwner(
  api: Pick<HostApi, 'get'>,
  { credentialsSecret: secret = '', namespace, signal }: OwnerOptions,
): Promise<Access> {
  const login = '--from-literal username=USER --from-file password=FILE --from-file ca.crt=FILE'
  const files = await ownerFiles(api, {
    secret,
    namespace,
    keys: KEYS,
    server: 'the database',
    create: `create secret generic ${secret} --type kubernetes.io/basic-auth ${login}`,
    signal,
  })
  const words = ['username', 'password'].filter((key) => /[\r\n]$/.test(files[key] ?? ''))
  if (words.length > 0) {
    const what = `Secret "${secret}" in namespace "${namespace}" has a line break`
    const message = `cannot read the credentials for the database: ${what} at the end of ${words.join(', ')}`
    throw new VplaneError('FAILED', message, {
      hints: ['to write a file without it: printf %s PASSWORD > FILE'],
    })
  }
  const { 'ca.crt': certificateAuthority = '', password = '', username: user = '' } = files
  return { user, password, certificateAuthority }
}
