import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SharedEtcdFiles } from '../../../src/etcd/shared/shared-etcd.ts'
import { readRange } from '../../../src/etcd/data/read-range.ts'
import type { EtcdConnection } from '../../../src/etcd/etcd-connection.ts'
import { protobufMessage } from '../../../src/etcd/protobuf.ts'
import { askOnce } from '../../../src/etcd/ask-once.ts'
import { sharedEtcdConnection } from '../../../src/etcd/shared/shared-etcd-connection.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { etcdBinary } from '../machine/etcd-binary.ts'
import { freePort } from '../machine/free-port.ts'
import { temporaryFolder } from '../machine/temporary-folder.ts'
import { clientCertificate, createTestCertificates } from '../test-certificates.ts'
import type { ServerOptions } from './database-server.ts'

const ANSWER_MS = 10_000

/** A real etcd with users, whose certificate and whose clients' certificates have different CAs. */
export interface TestEtcd extends AsyncDisposable {
  endpoint: string
  folder: string
  /** What the owner gives for a plane. */
  spec: SharedEtcdFiles & { root: NonNullable<SharedEtcdFiles['root']> }
  /** A connection of the user with this name. */
  as: (user: string) => Promise<EtcdConnection>
  /** Writes a certificate of a user, and returns its files. */
  certificateOf: (user: string) => { certificateFile: string; keyFile: string }
  /** Calls a procedure as the root user unless told otherwise. */
  ask: (path: string, body?: Buffer, user?: string) => ReturnType<typeof askOnce>
  /** Its users and roles. */
  names: () => Promise<string[]>
  /** All keys that start with a text. */
  keys: (start: string) => Promise<string[]>
  stop: () => Promise<void>
  start: () => Promise<void>
}

interface EtcdOptions extends Pick<ServerOptions, 'isDurable' | 'parent'> {
  /** Where it listens. @default a loopback address */
  address?: string
  /** Whether it has enabled users. @default true */
  hasUsers?: boolean
}

/** Starts one, with a root user. */
export async function startEtcd({
  address = '127.0.0.1',
  hasUsers = true,
  isDurable = false,
  parent,
}: EtcdOptions = {}): Promise<TestEtcd> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await temporaryFolder(parent))
  const binary = await etcdBinary()
  const [servers, clients] = [createTestCertificates([address]), createTestCertificates()]
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const certificateOf = (user: string) => {
    const { certificate, key } = clientCertificate(clients.authority, user)
    const files = [write(`${user}.crt`, certificate), write(`${user}.key`, key)] as const
    return { certificateFile: files[0], keyFile: files[1] }
  }
  const endpoint = `https://${address}:${await freePort()}`
  const peer = `http://127.0.0.1:${await freePort()}`
  const spec = {
    endpoints: [endpoint],
    caFile: write('ca.crt', servers.authority.certificate),
    root: {
      ...certificateOf('root'),
      clientCaFile: write('clients.crt', clients.authority.certificate),
      clientCaKeyFile: write('clients.key', clients.authority.key),
    },
  }
  const flags = {
    name: 'shared',
    'data-dir': join(folder, 'data'),
    'listen-client-urls': endpoint,
    'advertise-client-urls': endpoint,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `shared=${peer}`,
    'cert-file': write('server.crt', servers.server.certificate),
    'key-file': write('server.key', servers.server.key),
    'client-cert-auth': 'true',
    'trusted-ca-file': spec.root.clientCaFile,
    'enable-grpc-gateway': 'false',
    ...(isDurable ? {} : { 'unsafe-no-fsync': 'true' }),
  }
  const limit = () => AbortSignal.timeout(ANSWER_MS)
  const as = (user: string) => {
    const { certificate, key } = clientCertificate(clients.authority, user)
    const certificateAuthority = readFileSync(spec.caFile, 'utf8')
    return sharedEtcdConnection(spec.endpoints, { certificate, key, certificateAuthority }, limit())
  }
  const ask: TestEtcd['ask'] = async (path, body = Buffer.alloc(0), user = 'root') =>
    askOnce(await as(user), { path: `/etcdserverpb.${path}`, body, signal: limit() })
  let child: ChildProcess | undefined
  const start = async () => {
    const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
    child = spawn(binary, words, { stdio: 'ignore', cwd: folder })
    await once(child, 'spawn')
    const isReady = () => ask('Maintenance/Status').then(Boolean, () => false)
    await waitFor(isReady, { what: 'etcd', timeoutMs: 60_000 })
  }
  const stop = async () => {
    if (child?.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
  }
  stack.defer(stop)
  await start()
  const root = Buffer.from('root')
  const options = protobufMessage([[1, 1]])
  await ask('Auth/RoleAdd', protobufMessage([[1, root]]))
  await ask(
    'Auth/UserAdd',
    protobufMessage([
      [1, root],
      [3, options],
    ]),
  )
  await ask(
    'Auth/UserGrantRole',
    protobufMessage([
      [1, root],
      [2, root],
    ]),
  )
  if (hasUsers) {
    await ask('Auth/AuthEnable')
  }
  const owned = stack.move()
  return {
    endpoint,
    folder,
    spec,
    as,
    ask,
    certificateOf,
    names: async () => {
      const lists = [await ask('Auth/UserList'), await ask('Auth/RoleList')]
      return lists.flatMap((list) => (list.lists.get(2) ?? []).map(String))
    },
    keys: async (start) => {
      const from = Buffer.from(start)
      const to = Buffer.concat([from, Buffer.of(0xff)])
      const pairs = readRange(await as('root'), { from, to, limit: 1000, signal: limit() })
      return (await Array.fromAsync(pairs)).map(({ key }) => key.toString())
    },
    start,
    stop,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
