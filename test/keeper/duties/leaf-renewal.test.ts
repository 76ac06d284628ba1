import { expect, test } from 'vitest'
import type { PlaneCertificate } from '../../../src/control-plane/driver/plane-certificates.ts'
import { LeafRenewal } from '../../../src/keeper/duties/leaf-renewal.ts'

const DAY_MS = 24 * 3_600_000
const NOW = Date.parse('2026-06-01T12:00:00Z')
const { signal } = new AbortController()

/** Certificates of a plane that end after some days, and what its keeper does about them. */
class World {
  time = NOW
  readonly told: string[] = []
  tries = 0
  certificates: PlaneCertificate[] = []
  /** What comes of a try. */
  outcome: () => string[] | undefined = () => ['etcd/server']
  renewal = this.restart()

  restart(): LeafRenewal {
    this.renewal = new LeafRenewal({
      certificates: () => Promise.resolve(this.certificates),
      renew: async () => {
        this.tries += 1
        return this.outcome()
      },
      report: ({ level, message, reason }) => this.told.push(`${level} ${reason}: ${message}`),
      now: () => new Date(this.time),
    })
    return this.renewal
  }

  /** PlaneObserver once, and says after how many minutes it looks again. */
  async look(): Promise<number> {
    return ((await this.renewal.look(signal)).getTime() - this.time) / 60_000
  }
}

function worldWith(...ends: ReadonlyArray<readonly [PlaneCertificate['kind'], days: number]>) {
  const world = new World()
  world.certificates = ends.map(([kind, days]) => ({
    name: kind,
    kind,
    expiresAt: new Date(NOW + days * DAY_MS),
  }))
  return world
}

test('leaves certificates alone before their last 90 days, and CAs at all times', async () => {
  const world = worldWith(['leaf', 91], ['authority', 1])

  expect(await world.look()).toBe(60)
  expect(world.tries).toBe(0)
  expect(world.renewal.status).toEqual({})
})

test('renews them in their last 90 days, and tells which', async () => {
  const world = worldWith(['leaf', 300], ['leaf', 90])

  expect(await world.look()).toBe(24 * 60)
  expect(world.told).toEqual([
    'normal CertificatesIssued: issued anew before they end: etcd/server',
  ])
  expect(world.renewal.status).toEqual({})
})

test('does nothing twice, however often it is asked', async () => {
  const world = worldWith(['leaf', 30])

  await world.look()
  world.time += 60_000
  await world.look()

  expect(world.tries).toBe(1)
})

test('comes back soon when somebody else works on the plane', async () => {
  const world = worldWith(['leaf', 30])
  world.outcome = () => undefined

  expect(await world.look()).toBe(1)
  world.outcome = () => ['apiserver']
  world.time += 60_000
  await world.look()

  expect(world.tries).toBe(2)
  expect(world.told).toHaveLength(1)
})

test('says why it fails, until it does not', async () => {
  const world = worldWith(['leaf', 30])
  world.outcome = () => {
    throw new Error('keys of "dev" are gone')
  }

  expect(world.renewal.status).toBeUndefined()
  expect(await world.look()).toBe(10)
  expect(world.renewal.status).toEqual({ failure: 'keys of "dev" are gone' })
  world.outcome = () => ['apiserver']
  world.time += 600_000
  await world.look()

  expect(world.renewal.status).toEqual({})
})

test('looks at once after a restart', async () => {
  const world = worldWith(['leaf', 30])
  await world.look()

  world.restart()
  await world.look()

  expect(world.tries).toBe(2)
})
