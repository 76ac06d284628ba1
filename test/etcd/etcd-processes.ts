import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import { expect } from 'vitest'
import { type EtcdCluster, etcdCluster } from '../../src/etcd/members/etcd-cluster.ts'
import { askEtcd } from '../../src/etcd/post-to-etcd.ts'
import { statusInMetrics } from '../../src/etcd/status/member-metrics.ts'
import type { MemberStatus } from '../../src/etcd/status/member-status.ts'
import { getOver } from '../../src/shared/network/request-over.ts'
import { ETCD_FILES, etcdConnection } from '../support/etcd-gateway.ts'
import { etcdBinary } from '../support/machine/etcd-binary.ts'
import { freePort } from '../support/machine/free-port.ts'
import { temporaryFolder } from '../support/machine/temporary-folder.ts'

const COUNT = 3
const ANSWER_MS = 10_000

/** Three real members of one etcd on this machine, which end when they are disposed. */
export interface EtcdProcesses extends AsyncDisposable {
  cluster: EtcdCluster
  /** Starts a member; without data it knows the members of these ordinals. @default state `existing` */
  start(ordinal: number, peers: readonly number[], state?: 'new' | 'existing'): Promise<void>
  /** Kills a member. */
  stop(ordinal: number): Promise<void>
  killAll(): Promise<void>
  /** The folder of the data of a member. */
  data(ordinal: number): string
  /** Removes the data of a member that does not run. */
  wipe(ordinal: number): void
  /** Whether a text is in the database of a member. */
  stores(ordinal: number, text: string): boolean
  /** Writes another text of the same length over each occurrence of one in the database of a member that does not run. */
  overwrite(ordinal: number, text: string, other: string): void
  isRunning(ordinal: number): boolean
  /** Asks the gateway of a member; undefined when it does not answer or refuses. */
  ask(ordinal: number, path: string, body?: object): Promise<unknown>
  put(key: string, value?: string): Promise<boolean>
  keys(): Promise<string[]>
  /** The page of its metrics; undefined when it does not answer. */
  metrics(ordinal: number): Promise<string | undefined>
  /** As its metrics say. */
  status(ordinal: number): Promise<MemberStatus | undefined>
}

export interface EtcdProcessesOptions {
  /** More flags of each. @default none */
  settings?: Record<string, string>
  /** The port that the other members use for this one, given its own. @default its own */
  reachedAt?: (ordinal: number, peerPort: number) => Promise<number>
}

/** None of them has been started. */
export async function etcdProcesses({
  settings = {},
  reachedAt = async (_, peerPort) => peerPort,
}: EtcdProcessesOptions = {}): Promise<EtcdProcesses> {
  const etcd = await etcdBinary()
  const folder = await temporaryFolder()
  const fileOf = (name: string) => join(folder.path, basename(name))
  for (const name of ['etcd/ca.crt', 'etcd/server.crt', 'etcd/server.key']) {
    writeFileSync(fileOf(name), ETCD_FILES[name] ?? '')
  }
  const ports = await Promise.all(
    Array.from({ length: COUNT }, async (_, ordinal) => {
      const peer = await freePort()
      return {
        client: await freePort(),
        peer,
        reached: await reachedAt(ordinal, peer),
        metrics: await freePort(),
        gateway: await freePort(),
      }
    }),
  )
  const portsOf = (ordinal: number) => {
    const own = ports[ordinal]
    expect.assert(own !== undefined)
    return own
  }
  const dataOf = (ordinal: number) => join(folder.path, `data-${ordinal}`)
  const databaseOf = (ordinal: number) => join(dataOf(ordinal), 'member/snap/db')
  const peerUrl = (ordinal: number) => `http://127.0.0.1:${portsOf(ordinal).reached}`
  const running = new Map<number, ChildProcess>()
  const stop = async (ordinal: number) => {
    const child = running.get(ordinal)
    running.delete(ordinal)
    if (child?.exitCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
  }
  const killAll = async () => {
    await Promise.all([...running.keys()].map(stop))
  }
  const cluster = etcdCluster({
    what: 'the etcd of the test',
    count: () => COUNT,
    // Beyond them are ordinals that etcd is asked about and that have no member.
    peerUrl: (ordinal) => (ordinal < COUNT ? peerUrl(ordinal) : `http://127.0.0.1:${ordinal}`),
    at: (ordinal) =>
      etcdConnection(`etcd-${ordinal}`, async (_signal, protocol) => {
        const { client, gateway } = portsOf(ordinal)
        const socket = connect(protocol === 'grpc' ? client : gateway, '127.0.0.1')
        await once(socket, 'connect')
        return socket
      }),
  })
  const ask = async (ordinal: number, path: string, body: object = {}): Promise<unknown> =>
    askEtcd(cluster.at(ordinal), { path, body, signal: AbortSignal.timeout(ANSWER_MS) }).catch(
      () => undefined,
    )
  const metrics = async (ordinal: number) => {
    const stream = connect(portsOf(ordinal).metrics, '127.0.0.1')
    const signal = AbortSignal.timeout(ANSWER_MS)
    const options = { path: '/metrics', host: 'etcd', signal }
    return getOver(stream, options).catch(() => undefined)
  }
  return {
    cluster,
    ask,
    data: dataOf,
    stop,
    killAll,
    start: async (ordinal, peers, state = 'existing') => {
      const own = portsOf(ordinal)
      const words = {
        name: `etcd-${ordinal}`,
        'data-dir': dataOf(ordinal),
        'listen-client-urls': `https://127.0.0.1:${own.client}`,
        'listen-client-http-urls': `https://127.0.0.1:${own.gateway}`,
        'advertise-client-urls': `https://127.0.0.1:${own.client}`,
        'listen-peer-urls': `http://127.0.0.1:${own.peer}`,
        'initial-advertise-peer-urls': peerUrl(ordinal),
        'listen-metrics-urls': `http://127.0.0.1:${own.metrics}`,
        'initial-cluster': peers.map((peer) => `etcd-${peer}=${peerUrl(peer)}`).join(','),
        'initial-cluster-state': state,
        'cert-file': fileOf('etcd/server.crt'),
        'key-file': fileOf('etcd/server.key'),
        'trusted-ca-file': fileOf('etcd/ca.crt'),
        'client-cert-auth': 'true',
        ...settings,
      }
      const flags = Object.entries(words).map(([word, value]) => `--${word}=${value}`)
      const child = spawn(etcd, flags, { stdio: 'ignore' })
      running.set(ordinal, child)
      await once(child, 'spawn')
    },
    wipe: (ordinal) => rmSync(dataOf(ordinal), { recursive: true, force: true }),
    stores: (ordinal, text) => readFileSync(databaseOf(ordinal)).includes(text),
    overwrite: (ordinal, text, other) => {
      const file = databaseOf(ordinal)
      const database = readFileSync(file)
      const at = (from: number) => database.indexOf(text, from)
      for (let found = at(0); found >= 0; found = at(found + 1)) {
        database.write(other, found)
      }
      writeFileSync(file, database)
    },
    isRunning: (ordinal) => running.get(ordinal)?.exitCode === null,
    put: async (key, value = 'v') =>
      (await ask(0, '/v3/kv/put', { key: base64(key), value: base64(value) })) !== undefined,
    keys: async () => {
      const { kvs = [] } = Object(
        await ask(0, '/v3/kv/range', { key: base64('a'), range_end: base64('z') }),
      )
      return [kvs].flat().map(({ key }: { key: string }) => Buffer.from(key, 'base64').toString())
    },
    metrics,
    status: async (ordinal) => {
      const page = await metrics(ordinal)
      return page === undefined ? undefined : statusInMetrics(page)
    },
    [Symbol.asyncDispose]: async () => {
      await killAll()
      await folder[Symbol.asyncDispose]()
    },
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
