import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { objectPath } from '../../../../src/shared/kube/collections.ts'
import {
  acquireLease,
  isHeld,
  type LeaseOptions,
  tryLease,
} from '../../../../src/drivers/kubernetes/record/plane-lease.ts'
import { LEASE_TIMES } from '../../../../src/kube/lease/lease-object.ts'
import { holderIdentity } from '../../../../src/shared/processes/holder-identity.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const PATH = objectPath('leases', { name: 'vplane-dev-lock', namespace: 'team-a' })
/** Of a machine of which nothing is known. */
const ELSEWHERE = 'elsewhere_1_b7'
const DEAD = holderIdentity().replace(`_${process.pid}_`, '_4194400_')

test('holds a plane until it is disposed, and deletes the Lease', async () => {
  const api = new MemoryHostApi()

  {
    await using lease = await acquireLease(api, leaseOptions())
    expect(api.objects.get(PATH)).toMatchObject({
      metadata: { labels: { 'vplane.dev/name': 'dev' } },
      spec: {
        holderIdentity: lease.holder,
        leaseDurationSeconds: 15,
        renewTime: '2026-06-01T12:00:00.000000Z',
      },
    })
    await lease.check()
  }

  expect(api.objects.has(PATH)).toBe(false)
})

test('allows one holder at a time, and reports once that it waits', async () => {
  const api = new MemoryHostApi()
  let inside = 0
  let most = 0
  const waited: number[] = []

  await Promise.all(
    [1, 2, 3].map(async (each) => {
      const ui = { step: () => waited.push(each) }
      await using _held = await acquireLease(api, { ...leaseOptions(), ui })
      inside += 1
      most = Math.max(most, inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside -= 1
    }),
  )

  expect(most).toBe(1)
  expect(waited).toHaveLength(2)
  expect(api.objects.has(PATH)).toBe(false)
})

test('leaves a Lease whose holder has a clock that is minutes behind', async () => {
  const api = new MemoryHostApi()
  putLease(api, { renewTime: '2026-06-01T11:52:00.000000Z' })

  expect(await tryLease(api, leaseOptions())).toBeUndefined()
})

test('takes over at once the Lease of a dead process of this machine', async () => {
  const api = new MemoryHostApi()
  putLease(api, { holderIdentity: DEAD, leaseTransitions: 2 })

  await using lease = await acquireLease(api, leaseOptions())

  expect(api.objects.get(PATH)).toMatchObject({
    spec: { holderIdentity: lease.holder, leaseTransitions: 3 },
  })
})

test.for([
  ['of long ago', { renewTime: '2026-06-01T10:59:00.000000Z' }],
  ['that was let go', { holderIdentity: '' }],
  ['that says not when it was renewed', { renewTime: undefined }],
] as const)('takes over at once one %s', async ([, spec]) => {
  const api = new MemoryHostApi()
  putLease(api, spec)

  await using lease = await acquireLease(api, leaseOptions())

  expect(lease.holder).toContain(`_${process.pid}_`)
})

test('takes over a Lease that was not renewed for its duration, with any clock', async () => {
  const api = new MemoryHostApi()
  // The other clock is ahead: it says nothing.
  putLease(api, { renewTime: '2026-06-01T12:01:00.000000Z' })
  const times = { ...LEASE_TIMES, durationMs: 30 }

  await using lease = await acquireLease(api, { ...leaseOptions(), times })

  expect(api.objects.get(PATH)).toMatchObject({ spec: { holderIdentity: lease.holder } })
})

test('waits while it is renewed, and gives up in the end', async () => {
  const api = new MemoryHostApi()
  putLease(api, {})
  const renewing = setInterval(() => putLease(api, {}), 10)
  const times = { ...LEASE_TIMES, durationMs: 400 }

  const error = await rejectionOf(acquireLease(api, { ...leaseOptions(), times, timeoutMs: 120 }))
  clearInterval(renewing)

  expect(error).toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('waiting for another vplane that works on "dev"'),
    hints: ['to show its operation: vplane describe dev --namespace team-a'],
  })
  expect(api.objects.get(PATH)).toMatchObject({ spec: { holderIdentity: ELSEWHERE } })
})

test('stops waiting when the signal fires', async () => {
  const api = new MemoryHostApi()
  putLease(api, {})
  const stop = new AbortController()

  const ui = { step: () => stop.abort() }
  const waiting = acquireLease(api, { ...leaseOptions(), signal: stop.signal, ui })

  expect((await rejectionOf(waiting)).code).toBe('ABORTED')
})

test('fails with the message of the host when a Lease may not be created', async () => {
  const api = new MemoryHostApi(refusing(403, 'leases is forbidden'))

  const error = await rejectionOf(acquireLease(api, leaseOptions()))

  expect(error).toMatchObject({ code: 'FAILED', message: 'leases is forbidden' })
})

test('tries once without waiting', async () => {
  const api = new MemoryHostApi()
  putLease(api, {})

  const held = await tryLease(api, leaseOptions())
  api.remove(PATH)
  await using free = await tryLease(api, leaseOptions())

  expect(held).toBeUndefined()
  expect(free?.holder).toContain(hostname())
})

test('takes over, when it tries again, a Lease that it has seen unchanged for its duration', async () => {
  const api = new MemoryHostApi()
  const tries = async (durationMs: number) => {
    const times = { ...LEASE_TIMES, durationMs }
    await using held = await tryLease(api, { ...leaseOptions(), times })
    return held !== undefined
  }
  putLease(api, {})

  const tooEarly = [await tries(60_000), await tries(60_000)]
  putLease(api, { renewTime: '2026-06-01T12:00:01.000000Z' })
  const renewed = await tries(0)
  const unchanged = await tries(0)

  expect([...tooEarly, renewed, unchanged]).toEqual([false, false, false, true])
})

test('does not acquire an abandoned Lease that another holder takes first', async () => {
  const api = new MemoryHostApi({
    onRequest: ({ verb }) => {
      if (verb === 'replace') {
        putLease(api, {})
      }
    },
  })
  putLease(api, { holderIdentity: '' })

  expect(await tryLease(api, leaseOptions())).toBeUndefined()
})

test.for([
  ['it is renewed', {}, true],
  ['its process is gone', { holderIdentity: DEAD }, false],
  ['nobody renews it', { renewTime: '2026-06-01T11:58:00.000000Z' }, false],
] as const)('tells whether a Lease is held when %s', async ([, spec, held]) => {
  const api = new MemoryHostApi()
  putLease(api, spec)

  expect(await isHeldNow(api)).toBe(held)
})

test('a Lease that is missing or may not be read is not held', async () => {
  expect(await isHeldNow(new MemoryHostApi())).toBe(false)
  expect(await isHeldNow(new MemoryHostApi(refusing(403, 'forbidden')))).toBe(false)
})

function isHeldNow(api: MemoryHostApi): Promise<boolean> {
  const { name, namespace, now, signal } = leaseOptions()
  return isHeld(api, { name, namespace, now: now() }, signal)
}

function leaseOptions(): LeaseOptions {
  return {
    name: 'dev',
    namespace: 'team-a',
    signal: AbortSignal.timeout(5000),
    now: () => new Date('2026-06-01T12:00:00Z'),
    times: LEASE_TIMES,
  }
}

/** A Lease that another machine holds and has just renewed; `spec` overrides fields. */
function putLease(api: MemoryHostApi, spec: Record<string, unknown>): void {
  api.put(PATH, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'vplane-dev-lock', namespace: 'team-a' },
    spec: { holderIdentity: ELSEWHERE, renewTime: '2026-06-01T12:00:00.000000Z', ...spec },
  })
}
