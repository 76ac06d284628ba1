import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NOW } from './fixtures.ts'

const run = promisify(execFile)

export interface Verification {
  trusted: string
  leaf: string
  purpose: 'sslserver' | 'sslclient'
  at?: Date
}

/** What `openssl verify` says: "OK", or the reason of its refusal. */
export async function opensslVerify(verification: Verification): Promise<string> {
  const { at = NOW, leaf, purpose, trusted } = verification
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'ca.crt'), trusted)
  await writeFile(join(folder.path, 'leaf.crt'), leaf)
  const seconds = String(Math.floor(at.getTime() / 1000))
  try {
    await run(
      'openssl',
      [
        'verify',
        '-x509_strict',
        '-purpose',
        purpose,
        '-attime',
        seconds,
        '-CAfile',
        'ca.crt',
        'leaf.crt',
      ],
      { cwd: folder.path },
    )
    return 'OK'
  } catch (error) {
    return error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
  }
}

/** The certificate as `openssl x509 -text` prints it. */
export async function opensslText(certificate: string): Promise<string> {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'certificate.crt')
  await writeFile(file, certificate)
  const { stdout } = await run('openssl', [
    'x509',
    '-in',
    file,
    '-noout',
    '-text',
    '-nameopt',
    'RFC2253',
  ])
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

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'vplane-openssl-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
