import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { lead, type Leading, type LeadOptions } from '../../../src/syncer/leader/lead.ts'
import { memoryClient } from '../../support/api/memory-client.ts'
import { MemoryHostApi, refusal } from '../../support/api/memory-host-api.ts'
import { soon } from '../../support/soon.ts'

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/team-a/leases/vplane-dev-syncer'
const OWNER = { apiVersion: 'v1', kind: 'Service', name: 'vplane-dev-api', uid: 'o-1' }
const THING: KubeObject = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'one' } }

test('works at once, without a Lease, when it is alone', async () => {
  const { api, run } = syncersOf()

  await run({ lease: undefined }, ({ host }) => host.create('/things', THING))

  expect(api.requests).toEqual(['create /things'])
})

test('lets one work at a time, and the next one when that one is told to stop', async () => {
  const { api, run } = syncersOf()
  const order: string[] = []
  const stops = new Map(['a', 'b'].map((name) => [name, new AbortController()]))
  const worker = (name: string) =>
    run({ pod: name }, untilStopped(name, order), stops.get(name)?.signal)

  const running = [worker('a'), worker('b')]
  await soon('the leader', () => order.length === 1)
  expect(api.objects.get(LEASE)).toMatchObject({ metadata: { ownerReferences: [OWNER] } })
  stops.get(order[0] ?? '')?.abort()
  await soon('the next leader', () => order.length === 3)
  stops.get(order[0] === 'a' ? 'b' : 'a')?.abort()
  await Promise.all(running)

  const [first, second] = order[0] === 'a' ? ['a', 'b'] : ['b', 'a']
  expect(order).toEqual([first, 'stopped', second, 'stopped'])
  expect(api.objects.has(LEASE)).toBe(false)
})

test('stops and writes nothing more when another syncer has taken the Lease', async () => {
  const { api, run } = syncersOf({ renewMs: 5 })
  const writes: unknown[] = []
  const working = run({}, async ({ host, plane, signal }) => {
    putLease(api, 'another')
    await stopped(signal)
    for (const client of [host, plane]) {
      writes.push(await client.create('/things', THING).catch((error: unknown) => error))
    }
  })

  await expect(working).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'stopped being the leader: another vplane took its lock',
  })
  expect(writes).toMatchObject([{ code: 'CONFLICT' }, { code: 'CONFLICT' }])
  expect(api.objects.has('/things/one')).toBe(false)
  expect(api.objects.get(LEASE)).toMatchObject({ spec: { holderIdentity: 'another' } })
})

test('writes nothing while it cannot renew the Lease, and continues when it can', async () => {
  const { api, clock, run } = syncersOf()

  await run({}, async ({ plane }) => {
    api.hooks.onRequest = ({ verb }) => {
      if (verb === 'replace') {
        throw refusal(503, 'not now')
      }
    }
    clock.now += 12_000
    await expect(plane.create('/things', THING)).rejects.toThrow('was not renewed for 12 s')
    api.hooks.onRequest = () => {}
    await plane.create('/things', THING)
  })

  expect(api.objects.has('/things/one')).toBe(true)
})

test('takes over at once what an earlier process of its own pod has left', async () => {
  const { api, run } = syncersOf()
  putLease(api, 'syncer-1_before')

  await run({}, async () => {})

  expect(api.requests).toContain(`replace ${LEASE}`)
})

/** Syncers that share one memory, which is host and plane to them. */
function syncersOf({ renewMs = 60_000 } = {}) {
  const api = new MemoryHostApi()
  const clock = { now: Date.parse('2026-06-01T12:00:00Z') }
  const client = memoryClient(api)
  const options: LeadOptions = {
    host: client,
    plane: client,
    lease: { name: 'vplane-dev-syncer', namespace: 'team-a', ownerReferences: [OWNER] },
    pod: 'syncer-1',
    now: () => new Date(clock.now),
    log: () => {},
    times: { durationMs: 15_000, renewMs, graceMs: 10_000 },
  }
  return {
    api,
    clock,
    run: (
      changes: Partial<LeadOptions>,
      work: (leading: Leading) => Promise<unknown>,
      signal: AbortSignal = AbortSignal.timeout(5000),
    ) => lead({ ...options, ...changes }, work, signal),
  }
}

function untilStopped(name: string, order: string[]) {
  return async ({ signal }: Leading): Promise<void> => {
    order.push(name)
    await stopped(signal)
    order.push('stopped')
  }
}

const stopped = (signal: AbortSignal) => soon('the stop', () => signal.aborted)

function putLease(api: MemoryHostApi, holderIdentity: string): void {
  api.put(LEASE, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'vplane-dev-syncer', namespace: 'team-a' },
    spec: { holderIdentity, renewTime: '2026-06-01T12:00:00.000000Z' },
  })
}
