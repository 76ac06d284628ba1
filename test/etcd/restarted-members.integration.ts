import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  parseKubernetesVersion,
} from '../../src/control-plane/spec/kubernetes-version.ts'
import { ensureBinaries } from '../../src/drivers/local/binaries/ensure-binaries.ts'
import { statusInMetrics } from '../../src/etcd/status/member-metrics.ts'
import { processEnvironment } from '../../src/shared/environment.ts'
import { getOver } from '../../src/shared/network/request-over.ts'
import { pathsOf } from '../../src/shared/paths.ts'
import { silentUi } from '../../src/shared/ui.ts'
import { waitFor } from '../../src/shared/wait.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const TIMEOUT_MS = 60_000
const KEYS = ['a', 'b', 'c', 'd', 'e']

// What repair stands on where etcd has lost its majority, and no documentation promises.
test('etcd that was killed and is alone says by metrics what it knows, and one empty member makes its whole log count', async () => {
  const etcd = await threeMembers()
  await Promise.all([0, 1, 2].map((ordinal) => etcd.start(ordinal, 'new')))
  for (const key of KEYS) {
    await expect.poll(() => etcd.put(key), { timeout: TIMEOUT_MS }).toBe(true)
  }
  await etcd.killAll()

  await etcd.start(0, 'existing')
  const alone = await waitFor(() => etcd.status(0), { what: 'its metrics', timeoutMs: TIMEOUT_MS })
  const isServing = await etcd.put('f')
  etcd.wipe(1)
  await etcd.start(1, 'existing')

  expect(alone.revision).toBeGreaterThan(1)
  expect(alone.revision).toBeLessThanOrEqual(KEYS.length + 1)
  expect(isServing).toBe(false)
  await expect.poll(() => etcd.keys(), { timeout: TIMEOUT_MS }).toEqual(KEYS)
})

/** Three members of one etcd, without TLS, of which none has been started. */
async function threeMembers() {
  const folder = await temporaryFolder()
  const environment = processEnvironment()
  const { etcd } = await ensureBinaries(
    {
      kubernetesVersion: DEFAULT_KUBERNETES_VERSION,
      etcdVersion: etcdVersionOf(parseKubernetesVersion(DEFAULT_KUBERNETES_VERSION)),
      names: ['etcd'],
    },
    {
      paths: pathsOf(environment),
      environment,
      ui: silentUi,
      signal: AbortSignal.timeout(10 * TIMEOUT_MS),
    },
  )
  const members = await Promise.all(
    [0, 1, 2].map(async (ordinal) => ({
      name: `etcd-${ordinal}`,
      data: join(folder.path, `data-${ordinal}`),
      ports: {
        client: await freePort(),
        peer: await freePort(),
        metrics: await freePort(),
        gateway: await freePort(),
      },
    })),
  )
  const urlOf = (port: number) => `http://127.0.0.1:${port}`
  const cluster = members.map(({ name, ports }) => `${name}=${urlOf(ports.peer)}`).join(',')
  const running = new Map<number, ChildProcess>()
  const killAll = async () => {
    const ended = [...running.values()].map((child) => once(child, 'exit'))
    running.forEach((child) => child.kill('SIGKILL'))
    running.clear()
    await Promise.all(ended)
  }
  onTestFinished(async () => {
    await killAll()
    await folder[Symbol.asyncDispose]()
  })
  const memberAt = (ordinal: number) => {
    const member = members[ordinal]
    expect.assert(member !== undefined)
    return member
  }
  const ask = async (path: string, body: object): Promise<unknown> => {
    const signal = AbortSignal.timeout(2000)
    const url = `${urlOf(memberAt(0).ports.gateway)}${path}`
    const sent = { method: 'POST', body: JSON.stringify(body), signal }
    return fetch(url, sent)
      .then((answer) => (answer.ok ? answer.json() : undefined))
      .catch(() => undefined)
  }
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  return {
    killAll,
    start: async (ordinal: number, state: 'new' | 'existing') => {
      const { data, name, ports } = memberAt(ordinal)
      const words = {
        name,
        'data-dir': data,
        'listen-client-urls': urlOf(ports.client),
        'listen-client-http-urls': urlOf(ports.gateway),
        'advertise-client-urls': urlOf(ports.client),
        'listen-peer-urls': urlOf(ports.peer),
        'initial-advertise-peer-urls': urlOf(ports.peer),
        'listen-metrics-urls': urlOf(ports.metrics),
        'initial-cluster': cluster,
        'initial-cluster-state': state,
      }
      const flags = Object.entries(words).map(([word, value]) => `--${word}=${value}`)
      const child = spawn(etcd, flags, { stdio: 'ignore' })
      running.set(ordinal, child)
      await once(child, 'spawn')
    },
    wipe: (ordinal: number) => rmSync(memberAt(ordinal).data, { recursive: true }),
    put: async (key: string) =>
      (await ask('/v3/kv/put', { key: base64(key), value: base64('v') })) !== undefined,
    keys: async () => {
      const { kvs = [] } = Object(
        await ask('/v3/kv/range', { key: base64('a'), range_end: base64('z') }),
      )
      return [kvs].flat().map(({ key }: { key: string }) => Buffer.from(key, 'base64').toString())
    },
    /** As its metrics say. */
    status: async (ordinal: number) => {
      const stream = connect(memberAt(ordinal).ports.metrics, '127.0.0.1')
      const signal = AbortSignal.timeout(2000)
      const options = { path: '/metrics', host: 'etcd', signal }
      const page = await getOver(stream, options).catch(() => undefined)
      return page === undefined ? undefined : statusInMetrics(page)
    },
  }
}
