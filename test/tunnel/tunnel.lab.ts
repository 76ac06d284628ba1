import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type ClientRequest, get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isListening } from '../../src/shared/network/ports.ts'
import { waitFor } from '../../src/shared/wait.ts'
import { canRunLab, type Lab, startLab } from '../lab/lab.ts'
import { detourKubeconfig, hostAddress, LARGE_FILE, type LabPods } from './lab-pods.ts'
import { loginOf, NAME_FILE, pluginKubeconfig, startLabPods } from './lab-pods.ts'
import { Detour } from './detour.ts'
import { connectTo } from './tcp-server.ts'

const MIB = 1024 * 1024
const { signal } = new AbortController()

describe.skipIf(canRunLab() !== undefined)('a tunnel to pods of a host cluster', () => {
  let lab: Lab
  let pods: LabPods

  beforeAll(async () => {
    lab = await startLab()
    pods = await startLabPods(lab)
  })
  afterAll(async () => {
    await pods[Symbol.asyncDispose]()
    await lab[Symbol.asyncDispose]()
  })

  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => void process.stderr.write(`the tunnels wrote:\n${pods.logs()}`))
  })

  test('carries 200 connections at once, and spreads them', async () => {
    const { port } = await pods.tunnels.ensure(pods.plane, { signal })
    const carriedByTheLeast = async () => {
      const clients: KeptClient[] = []

      while (clients.length < 200) {
        clients.push(...(await Promise.all(Array.from({ length: 25 }, () => keptClient(port)))))
      }
      const names = await Promise.all(clients.map((client) => client.name()))

      clients.forEach((client) => client.close())
      const [one = 0, other = 0] = [...new Set(names)].map(
        (name) => names.filter((candidate) => candidate === name).length,
      )
      expect(one + other).toBe(200)
      return Math.min(one, other)
    }

    // A pod that was slow to take a connection is tried last for five seconds.
    await waitFor(async () => (await carriedByTheLeast()) > 50, {
      what: 'both pods to carry more than 50 of 200',
      timeoutMs: 180_000,
      intervalMs: 5000,
    })
  })

  test('carries 240 MB over four connections, byte for byte', async () => {
    const { port } = await pods.tunnels.ensure(pods.plane, { signal })
    const expected = Number((await open(port, LARGE_FILE)).headers['content-length'])

    const sizes = await Promise.all(
      Array.from({ length: 4 }, async () => {
        let bytes = 0
        for await (const chunk of await open(port, LARGE_FILE)) {
          bytes += chunk.length
        }
        return bytes
      }),
    )

    expect(expected).toBeGreaterThan(40 * MIB)
    expect(sizes).toEqual([expected, expected, expected, expected])
  })

  test('holds no more of what a slow reader has yet to read than sockets do', async () => {
    const record = await pods.tunnels.ensure(pods.plane, { signal })
    const processId = record.process?.processId ?? 0
    await nameAt(record.port)
    const before = memoryOf(processId)

    const readers = await Promise.all(
      Array.from({ length: 4 }, () => open(record.port, LARGE_FILE)),
    )
    // Nobody reads: what is on the way stays where it is.
    const after = await untilSteady(() => memoryOf(processId))

    readers.forEach((reader) => reader.destroy())
    expect(after - before).toBeLessThan(40 * MIB)
  })

  test('finds a pod for each new connection while pods are replaced', async () => {
    const { port } = await pods.tunnels.ensure(pods.plane, { signal })
    const before = new Set(await Promise.all([nameAt(port), nameAt(port)]))

    await pods.deletePods()
    const name = await waitFor(
      async () => {
        const found = await nameAt(port)
        return !before.has(found) && found
      },
      { what: 'a new pod', timeoutMs: 60_000 },
    )

    expect(name).toMatch(/^vplane-dev-kube-apiserver-/)
  })

  test('works again after its process was killed, at the same port', async () => {
    const first = await pods.tunnels.ensure(pods.plane, { signal })
    process.kill(first.process?.processId ?? 0, 'SIGKILL')
    await untilEnded(first.port)

    const second = await pods.tunnels.ensure(pods.plane, { signal })

    expect(second.port).toBe(first.port)
    expect(await nameAt(second.port)).toMatch(/^vplane-dev-/)
  })

  test('ends by itself when it is idle, and is started again when it is needed', async () => {
    const first = await pods.tunnels.ensure(pods.plane, { signal, idleTimeoutMs: 1000 })
    await nameAt(first.port)

    await untilEnded(first.port)
    const second = await pods.tunnels.ensure(pods.plane, { signal, idleTimeoutMs: 1_800_000 })

    expect(second.port).toBe(first.port)
    expect(await nameAt(second.port)).toMatch(/^vplane-dev-/)
  })

  test('needs no right but those of an administrator of one namespace', async () => {
    const { namespace = '' } = pods.plane
    const kubeconfig = join(pods.folder, 'namespace-admin')
    writeFileSync(kubeconfig, await lab.namespaceAdminKubeconfig(namespace), { mode: 0o600 })
    const tunnels = pods.tunnelsBy(kubeconfig)
    const { hostContext: _, ...plane } = pods.plane

    const { port } = await tunnels.ensure(plane, { signal })

    expect(await nameAt(port)).toMatch(/^vplane-dev-/)
    await tunnels.stop(plane)
  })

  test('refuses clients when a login is needed, says why, and works behind the login', async () => {
    const login = join(pods.folder, 'login')
    const kubeconfig = join(pods.folder, 'kubeconfig')
    writeFileSync(kubeconfig, pluginKubeconfig(lab, { login, why: 'the token has expired' }))
    const tunnels = pods.tunnelsBy(kubeconfig)
    const host = { files: [kubeconfig], environment: { PATH: process.env['PATH'] ?? '' } }
    const first = await tunnels.ensure(pods.plane, { signal, host })

    await expect(nameAt(first.port)).rejects.toMatchObject({ code: 'ECONNRESET' })
    await untilEnded(first.port)
    const trouble = await tunnels.find(pods.plane)
    writeFileSync(login, loginOf(lab))
    const second = await tunnels.ensure(pods.plane, { signal })

    expect(trouble?.problem?.message).toMatch(
      /^login to the host cluster ".*" is needed: .*the token has expired/,
    )
    expect(second.port).toBe(first.port)
    expect(await nameAt(second.port)).toMatch(/^vplane-dev-/)
  })

  test('works again when its host does, without anybody starting it again', async () => {
    const detour = new Detour(hostAddress(lab))
    const kubeconfig = join(pods.folder, 'detour')
    writeFileSync(kubeconfig, detourKubeconfig(lab, await detour.open()))
    const host = { files: [kubeconfig], environment: { PATH: process.env['PATH'] ?? '' } }
    const { port, process: serving } = await pods.tunnels.ensure(pods.plane, { signal, host })
    const client = await keptClient(port)

    detour.close()
    await client.ended
    await expect(nameAt(port)).rejects.toMatchObject({ code: 'ECONNRESET' })
    await expect(nameAt(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await detour.open()
    await waitFor(() => isListening(port), { what: 'the tunnel', timeoutMs: 60_000 })

    expect(await nameAt(port)).toMatch(/^vplane-dev-/)
    const after = await pods.tunnels.find(pods.plane)
    expect(after?.process?.processId).toBe(serving?.processId)
    await pods.tunnels.stop(pods.plane)
    detour.close()
  })

  test('leaves nothing behind when the plane is gone', async () => {
    await using gone = await startLabPods(lab)
    const { port } = await gone.tunnels.ensure(gone.plane, { signal })

    await gone.deletePlane()

    await expect(nameAt(port)).rejects.toMatchObject({ code: 'ECONNRESET' })
    await expect.poll(() => gone.tunnels.find(gone.plane)).toBeUndefined()
  })
})

/** Returns when nobody listens on the port of a tunnel. */
async function untilEnded(port: number): Promise<void> {
  const what = 'the end of the tunnel'
  await waitFor(async () => !(await isListening(port)), { what, timeoutMs: 60_000 })
}

/** The pod that a new connection leads to. */
async function nameAt(port: number): Promise<string> {
  return (await text(await open(port, NAME_FILE))).trim()
}

async function open(port: number, path: string): Promise<IncomingMessage> {
  const request: ClientRequest = get({ host: '127.0.0.1', port, path, agent: false })
  const [response] = await once(request, 'response')
  response.on('error', () => {})
  return response
}

interface KeptClient {
  /** The pod at the other end. */
  name(): Promise<string>
  close(): void
  /** Resolves when someone else has closed it. */
  ended: Promise<unknown>
}

/** A client whose connection has been answered and stays open. */
async function keptClient(port: number): Promise<KeptClient> {
  const socket = await connectTo(port)
  const name = async () => {
    socket.write(`GET ${NAME_FILE} HTTP/1.1\r\nHost: pod\r\n\r\n`)
    const [answer] = await once(socket, 'data')
    return String(answer).split('\r\n\r\n')[1]?.trim() ?? ''
  }
  await name()
  return { name, close: () => void socket.destroy(), ended: once(socket, 'end') }
}

/** What a process holds in memory that is its own, in bytes. */
function memoryOf(processId: number): number {
  const [, kib] = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? []
  return Number(kib) * 1024
}

async function untilSteady(read: () => number): Promise<number> {
  let last = 0
  return waitFor(
    () => {
      const now = read()
      const isSteady = now <= last
      last = Math.max(now, last)
      return Promise.resolve(isSteady && now)
    },
    { what: 'memory that does not grow', timeoutMs: 60_000, intervalMs: 500 },
  )
}
