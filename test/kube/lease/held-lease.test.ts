import { expect, test, vi } from 'vitest'
import { claimLease } from '../../../src/kube/lease/claim-lease.ts'
import { messageOf } from '../../../src/shared/errors.ts'
import { MemoryHostApi, type MemoryHostHooks } from '../../support/api/memory-host-api.ts'
import { type MemoryRequest, refusal } from '../../support/api/memory-host-api.ts'
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

  const spec = { renewTime: '2026-06-01T12:00:12.000000Z' }
  expect(api.objects.get(PATH)).toMatchObject({ spec })
})

test('stops before the next write when it cannot be renewed after too long', async () => {
  const { hold, sleep } = hostWithClock({ onRequest: refusing('replace') })
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

test('continues after a renewal that failed, when the next one succeeds', async () => {
  const onRequest = vi.fn(refusing('replace', 2))
  const { api, hold, sleep } = hostWithClock({ onRequest })
  await using lease = await hold({ renewMs: 5 })

  sleep(9000)
  await renewals(api, 4)

  expect(onRequest.mock.results.filter(({ type }) => type === 'throw')).toHaveLength(2)
  await lease.check()
})

test('stops when another vplane took it, and leaves it to that one', async () => {
  const { api, hold } = hostWithClock()

  {
    await using lease = await hold({ renewMs: 5 })
    takeBy(api, 'elsewhere_1_b7')
    const lost = expect.poll(() => lease.check().then(() => '', messageOf))
    await lost.toContain('another vplane took its lock')
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
  const { api, hold } = hostWithClock({ onRequest: refusing('delete') })

  await (await hold({}))[Symbol.asyncDispose]()

  expect(api.objects.has(PATH)).toBe(true)
})

function hostWithClock(hooks: MemoryHostHooks = {}) {
  const api = new MemoryHostApi(hooks)
  let time = Date.parse('2026-06-01T12:00:00Z')
  return {
    api,
    sleep: (milliseconds: number) => void (time += milliseconds),
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
  await expect.poll(tried, { interval: 2 }).toBeGreaterThan(count)
}

/** A host that refuses what is asked of it, so often. */
function refusing(refused: string, times = Infinity) {
  let count = 0
  return ({ verb }: MemoryRequest) => {
    count += verb === refused ? 1 : 0
    if (verb === refused && count <= times) {
      throw refusal(503, 'not now')
    }
  }
}

function takeBy(api: MemoryHostApi, holderIdentity: string): void {
  const lease = api.objects.get(PATH)
  if (lease !== undefined) {
    api.put(PATH, { ...lease, spec: { ...Object(lease['spec']), holderIdentity } })
  }
}
