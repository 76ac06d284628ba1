import { readFile } from 'node:fs/promises'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import type { Credential } from '../../connection.ts'
import type { KubeconfigEntry } from './kubeconfig-entry.ts'

/** A text in the kubeconfig or in a file. */
export interface Stored {
  /** Such as `client key of user "admin"`. */
  what: string
  data?: string | undefined
  file?: string | undefined
}

/** Undefined without text and file. @throws {VplaneError} `FAILED` when it cannot be read. */
export async function contentOf({ data, file, what }: Stored): Promise<string | undefined> {
  try {
    return file === undefined ? data : await readFile(file, 'utf8')
  } catch (cause) {
    throw new VplaneError('FAILED', `cannot read the ${what}: ${messageOf(cause)}`, {
      hints: [`ls -l ${file}`],
      cause,
    })
  }
}

/**
 * Returns a function that reads a user's certificate and token or password again at each call, because files change.
 *
 * @throws {VplaneError} `FAILED` when the entry contradicts itself, or uses an auth-provider.
 */
export function storedCredential(user: KubeconfigEntry): () => Promise<Credential> {
  if (user.value('auth-provider') !== undefined) {
    throw user.problem('it uses "auth-provider", which credential plugins have replaced', [
      'change the user to "exec", as the provider of the cluster documents it',
    ])
  }
  const certificate = stored(user, 'client-certificate')
  const key = stored(user, 'client-key')
  if ((certificate === undefined) !== (key === undefined)) {
    throw user.problem('it has a client certificate or a client key, not both')
  }
  const authorization = authorizationOf(user)
  return async () => ({
    certificate: await (certificate && contentOf(certificate)),
    key: await (key && contentOf(key)),
    authorization: await authorization(),
  })
}

function stored(user: KubeconfigEntry, name: string): Stored | undefined {
  const what = `${name.replace('-', ' ')} of ${user.what}`
  const data = user.data(`${name}-data`)
  const file = user.path(name)
  if (data !== undefined) {
    return { what, data }
  }
  return file === undefined ? undefined : { what, file }
}

function authorizationOf(user: KubeconfigEntry): () => Promise<string | undefined> {
  const token = user.text('token')
  const file = user.path('tokenFile')
  const name = user.text('username')
  const password = user.text('password')
  if ((name ?? password) === undefined) {
    return () => bearer(user, token, file)
  }
  if ((token ?? file) !== undefined) {
    throw user.problem('it has both a token and a password')
  }
  const pair = Buffer.from(`${name ?? ''}:${password ?? ''}`)
  return () => Promise.resolve(`Basic ${pair.toString('base64')}`)
}

/** The token in the file takes precedence over the one in the kubeconfig if it can be read. */
async function bearer(
  user: KubeconfigEntry,
  token: string | undefined,
  file: string | undefined,
): Promise<string | undefined> {
  try {
    const content = await contentOf({ what: `token of ${user.what}`, data: token, file })
    return content && `Bearer ${content.trim()}`
  } catch (error) {
    if (token === undefined) {
      throw error
    }
    return `Bearer ${token}`
  }
}
