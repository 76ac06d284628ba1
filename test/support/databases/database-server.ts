import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account } from '../../../src/database/dialect/database-dialect.ts'
import type { DatabaseKind } from '../../../src/control-plane/store/store.ts'
import { issueCertificate } from '../../../src/pki/issue/issue-certificate.ts'
import { createTestCertificates } from '../test-certificates.ts'

/** A real server of databases, which serves only TLS, on a port of the loopback address and perhaps of another one. */
export interface TestServer extends AsyncDisposable {
  kind: DatabaseKind
  port: number
  files: ServerFiles
  /** May do everything. */
  superuser: Account
  /** Rows of a statement, of the superuser unless told otherwise. */
  query: (sql: string, as?: Partial<Account> & { database?: string }) => Promise<unknown[]>
  /** The names of its databases and of its users. */
  names: () => Promise<string[]>
  stop: () => Promise<void>
  start: () => Promise<void>
}

export interface ServerOptions {
  /** Another address where it listens, for the network that the machine has there. @default the loopback addresses alone */
  address?: string
  /** Where its folder is to be. @default that of temporary files */
  parent?: string
  /** Whether it syncs its writes, and logs no statements. @default false */
  isDurable?: boolean
}

/** An address of the server that its certificate does not name. */
export const UNNAMED = '127.0.0.3'

export type ServerFiles = Awaited<ReturnType<typeof writeServerFiles>>

/** The certificates of a server, for loopback and perhaps another address, and the account of its owner for vplane: one that is no superuser. */
export async function writeServerFiles(folder: string, address?: string) {
  const names = address === undefined ? [] : [address]
  const { authority, server } = createTestCertificates(names)
  const misnamed = issueCertificate(authority, {
    algorithm: 'ecdsa',
    now: new Date(),
    lifetimeMs: 3_600_000,
    commonName: 'server',
    usages: ['serverAuth'],
    sans: ['elsewhere.example.com'],
  })
  const stranger = createTestCertificates()
  const owner = { user: 'owner', password: 'hush-owner-5c1d' }
  const files = {
    ca: join(folder, 'ca.crt'),
    otherCa: join(folder, 'other-ca.crt'),
    certificate: join(folder, 'server.crt'),
    key: join(folder, 'server.key'),
    misnamed: { certificate: join(folder, 'misnamed.crt'), key: join(folder, 'misnamed.key') },
    credentials: join(folder, 'owner.yaml'),
    log: join(folder, 'log'),
    data: join(folder, 'data'),
  }
  await mkdir(files.data, { mode: 0o700 })
  const texts: Array<readonly [string, string]> = [
    [files.ca, authority.certificate],
    [files.otherCa, stranger.authority.certificate],
    [files.certificate, server.certificate],
    [files.key, server.key],
    [files.misnamed.certificate, misnamed.certificate],
    [files.misnamed.key, misnamed.key],
    [files.credentials, `username: ${owner.user}\npassword: ${owner.password}\n`],
  ]
  for (const [path, text] of texts) {
    await writeFile(path, text, { mode: 0o600 })
  }
  return { ...files, owner, folder }
}
