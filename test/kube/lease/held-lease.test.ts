import { expect, test } from 'vitest'
import { claimLease } from '../../../src/kube/lease/claim-lease.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { MemoryHostApi, type MemoryHostHooks, refusal } from '../../support/api/memory-host-api.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

const PATH = '/apis/coordination.k8s.io/v1/namespaces/team-a/leases/dev'

test('renews itself, and lets go of what it renewed', async () => {
  const { api, hold } = hostWithClock()

  {
    await using lease = await hold({ renewMs: 5 })
    await renewals(api, 3)
    await lease.check()
  }

  expect(api.objects.has(PATH)).toBe(false)
})

test('is renewed before the next write when it was not for too long, as after a sleep', async () => {
  const { api, hold, sleep } = hostWithClock()
  await using lease = await hold({})

  sleep(10_000)
  await lease.check()
  expect(api.requests).not.toContain(`replace ${PATH}`)
  sleep(2000)
  await lease.check()

  expect(api.objects.get(PATH)).toMatchObject({
    spec: { renewTime: '2026-06-01T12:00:12.000000Z' },
  })
})

test('stops before the next write when it cannot be renewed after too long', async () => {
  const { hold, sleep } = hostWithClock({
    onRequest: ({ verb }) => {
      if (verb === 'replace') {
        throw refusal(503, 'not now')
      }
    },
  })
  await using lease = await hold({})

  sleep(12_000)

  expect(await rejectionOf(lease.check())).toMatchObject({
    code: 'CONFLICT',
    message: 'stopped working on "dev": its lock was not renewed for 12 s',
    hints: ['run the command again'],
  })
})

test('stops when another vplane took it during a sleep', async () => {
  const { api, hold, sleep } = hostWithClock()
  await using lease = await hold({})

  sleep(20_000)
  takeBy(api, 'elsewhere_1_b7')

  expect((await rejectionOf(lease.check())).message).toContain('another vplane took its lock')
})

test('goes on after a renewal that failed, when the next one does not', async () => {
  let failures = 0
  const { api, hold, sleep } = hostWithClock({
    onRequest: ({ verb }) => {
      if (verb === 'replace' && failures < 2) {
        failures += 1
        throw refusal(503, 'not now')
      }
    },
  })
  await using lease = await hold({ renewMs: 5 })

  sleep(9000)
  await renewals(api, 4)

  expect(failures).toBe(2)
  await lease.check()
})

test('stops when another vplane took it, and leaves it to that one', async () => {
  const { api, hold } = hostWithClock()

  {
    await using lease = await hold({ renewMs: 5 })
    takeBy(api, 'elsewhere_1_b7')
    await waitFor(() => isLost(lease), { what: 'the loss', timeoutMs: 2000 })
    expect((await rejectionOf(lease.check())).message).toContain('another vplane took its lock')
  }

  expect(api.objects.get(PATH)).toMatchObject({ spec: { holderIdentity: 'elsewhere_1_b7' } })
})

test('takes a renewal that was sent twice for no loss', async () => {
  const { api, hold } = hostWithClock()
  await using lease = await hold({ renewMs: 5 })

  takeBy(api, lease.holder)
  await renewals(api, 3)

  await lease.check()
})

test('lets go of what was renewed without its hearing of it', async () => {
  const { api, hold } = hostWithClock()
  const lease = await hold({})

  takeBy(api, lease.holder)
  await lease[Symbol.asyncDispose]()

  expect(api.objects.has(PATH)).toBe(false)
})

test('lets go without a word when the host does not answer any more', async () => {
  const { api, hold } = hostWithClock({
    onRequest: ({ verb }) => {
      if (verb === 'delete') {
        throw refusal(503, 'not now')
      }
    },
  })

  await (await hold({}))[Symbol.asyncDispose]()

  expect(api.objects.has(PATH)).toBe(true)
})

function hostWithClock(hooks: MemoryHostHooks = {}) {
  const api = new MemoryHostApi(hooks)
  let time = Date.parse('2026-06-01T12:00:00Z')
  return {
    api,
    sleep: (milliseconds: number) => {
      time += milliseconds
    },
    hold: ({ renewMs = 60_000 }: { renewMs?: number }) =>
      claimLease(
        api,
        {
          metadata: { name: 'dev', namespace: 'team-a' },
          holder: 'me',
          isDead: () => false,
          purpose: { what: 'working on "dev"', hints: ['run the command again'] },
          now: () => new Date(time),
          times: { durationMs: 15_000, renewMs, graceMs: 10_000 },
        },
        AbortSignal.timeout(5000),
      ),
  }
}

/** Returns when so many renewals were tried. */
async function renewals(api: MemoryHostApi, count: number): Promise<void> {
  const tried = () => api.requests.filter((request) => request === `replace ${PATH}`).length
  await waitFor(() => Promise.resolve(tried() > count), {
    what: 'renewals',
    timeoutMs: 5000,
    intervalMs: 2,
  })
}

async function isLost(lease: { check(): Promise<void> }): Promise<boolean> {
  try {
    await lease.check()
    return false
  } catch {
    return true
  }
}

function takeBy(api: MemoryHostApi, holderIdentity: string): void {
  const lease = api.objects.get(PATH)
  if (lease !== undefined) {
    api.put(PATH, { ...lease, spec: { ...Object(lease['spec']), holderIdentity } })
  }
}
