import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '../support/machine/temporary-folder.ts'
import { NOW, SERVER_AUTH } from './fixtures.ts'

const run = promisify(execFile)

export interface Verification {
  trusted: string
  leaf: string
  purpose: 'sslserver' | 'sslclient'
  at?: Date
}

/** What `openssl verify` says: "OK", or the reason of its refusal. */
export async function opensslVerify({ at = NOW, leaf, purpose, trusted }: Verification) {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'ca.crt'), trusted)
  await writeFile(join(folder.path, 'leaf.crt'), leaf)
  const seconds = Math.floor(at.getTime() / 1000)
  const options = `-x509_strict -purpose ${purpose} -attime ${seconds} -CAfile ca.crt`
  try {
    await run('openssl', ['verify', ...options.split(' '), 'leaf.crt'], { cwd: folder.path })
    return 'OK'
  } catch (error) {
    return error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
  }
}

/** As whom openssl is to take a certificate of this extended key usage. */
export function purposeOf(usage: string): Verification['purpose'] {
  return usage === SERVER_AUTH ? 'sslserver' : 'sslclient'
}

/** The certificate as `openssl x509 -text` prints it. */
export async function opensslText(certificate: string): Promise<string> {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'certificate.crt')
  await writeFile(file, certificate)
  const format = ['-noout', '-text', '-nameopt', 'RFC2253']
  const { stdout } = await run('openssl', ['x509', '-in', file, ...format])
  return stdout
}

/** What `openssl pkey` says about a private key, after a check of its consistency. */
export async function opensslKey(key: string): Promise<string> {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'private.key')
  await writeFile(file, key, { mode: 0o600 })
  const { stdout } = await run('openssl', ['pkey', '-in', file, '-noout', '-check', '-text'])
  return stdout
}

/** The request for a certificate as `openssl req -text` prints it, which verifies its signature. */
export async function opensslRequest(request: string): Promise<string> {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'request.csr')
  await writeFile(file, request)
  const format = ['-noout', '-text', '-verify', '-nameopt', 'RFC2253']
  const { stdout } = await run('openssl', ['req', '-in', file, ...format])
  return stdout
}
