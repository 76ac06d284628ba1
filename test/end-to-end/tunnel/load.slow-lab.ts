import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { busyMachine } from '../../support/machine/busy-machine.ts'
import { type ConnectedPlane, connectedPlane } from '../../support/cli/connected-plane.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import {
  ask,
  digestOf,
  jsonOf,
  type PlaneUser,
  planeUserIn,
} from '../../support/driver/plane-requests.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const MIB = 1024 * 1024
const COUNT = 200

const ROOM = [
  '--set',
  'apiServer.resources.limits.memory=4Gi',
  '--set',
  'etcd.resources.limits.memory=3Gi',
]

describeOnHost('a tunnel that has much to carry', () => {
  let turn: AsyncDisposable
  let cli: HostCli
  let plane: ConnectedPlane
  let direct: PlaneUser
  let tunnelled: PlaneUser
  /** A list of 200 MB that is the same whenever it is asked for. */
  let list: string

  beforeAll(async () => {
    turn = await busyMachine()
    cli = await createHostCli()
    // Exposed, so that there is a way without a tunnel to compare with; saying an address asks for the tunnel.
    const exposed = ['--expose', 'node-port', '--set', `extraSans=["${await nodeAddress(cli)}"]`]
    plane = await connectedPlane(cli, 'big', [...exposed, ...ROOM])
    const at = ['big', '--namespace', plane.namespace]
    // The port of the nodes leads to the plane when the host has seen that it is ready.
    await waitFor(
      async () => {
        direct = planeUserIn(await cli.ok(['kubeconfig', ...at, '--embed-credentials']))
        return !direct.server.includes('//127.0.0.1:')
      },
      { what: 'the way without a tunnel', timeoutMs: 60_000 },
    )
    await cli.ok(['connect', ...at, '--address', '127.0.0.1'])
    tunnelled = { ...direct, server: `https://127.0.0.1:${plane.tunnel().port}` }
    await fill(direct)
    const { metadata } = await jsonOf<{ metadata: { resourceVersion: string } }>(
      ask(direct, `${CONFIG_MAPS}?limit=1`),
    )
    const version = `resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`
    list = `${CONFIG_MAPS}?${version}`
  })
  afterAll(async () => {
    await cli[Symbol.asyncDispose]()
    await turn[Symbol.asyncDispose]()
  })

  test('carries a list of 200 MB byte for byte', async () => {
    expect(direct.server).not.toBe(tunnelled.server)

    const expected = await digestOf(await ask(direct, list))
    const carried = await digestOf(await ask(tunnelled, list))

    expect(carried).toEqual(expected)
    expect(carried.bytes).toBeGreaterThan(COUNT * 1_000_000)
  })

  test('carries 200 connections at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => jsonOf<object>(ask(tunnelled, '/version'))),
    )

    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({ major: '1' })
  })

  test('holds little of what a slow reader has yet to read, and serves others meanwhile', async () => {
    const processId = plane.tunnel().process?.processId ?? 0
    await jsonOf<object>(ask(tunnelled, '/version'))
    const before = await peakAfter(processId, () => Promise.resolve())

    const slow = await ask(tunnelled, list)
    const after = await peakAfter(processId, () => steady(() => memory(processId, 'VmRSS')))
    const other = await jsonOf<object>(ask(tunnelled, '/version'))
    const { bytes } = await digestOf(slow)

    expect(after - before).toBeLessThan(48 * MIB)
    expect(other).toMatchObject({ major: '1' })
    expect(bytes).toBeGreaterThan(COUNT * 1_000_000)
  })
})

async function nodeAddress(cli: HostCli): Promise<string> {
  const path = '{.items[0].status.addresses[?(@.type=="InternalIP")].address}'
  return cli.host(['get', 'nodes', '--output', `jsonpath=${path}`])
}

async function fill(user: PlaneUser): Promise<void> {
  const numbers = Array.from({ length: COUNT }, (_, index) => index).values()
  const worker = async () => {
    for (const number of numbers) {
      const data = { text: randomBytes(750_000).toString('base64') }
      const answer = await ask(user, CONFIG_MAPS, { metadata: { name: `big-${number}` }, data })
      answer.resume()
    }
  }
  await Promise.all(Array.from({ length: 4 }, worker))
}

/** The most memory that a process holds while something is done, in bytes. */
async function peakAfter(processId: number, work: () => Promise<unknown>): Promise<number> {
  // Forgets the peak until now.
  writeFileSync(`/proc/${processId}/clear_refs`, '5')
  await work()
  return memory(processId, 'VmHWM')
}

function memory(processId: number, field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8')
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status) ?? []
  return Number(kib) * 1024
}

async function steady(read: () => number): Promise<void> {
  let last = 0
  await waitFor(
    () => {
      const now = read()
      const isSteady = now <= last
      last = Math.max(now, last)
      return Promise.resolve(isSteady)
    },
    { what: 'memory that does not grow', timeoutMs: 60_000, intervalMs: 500 },
  )
}
