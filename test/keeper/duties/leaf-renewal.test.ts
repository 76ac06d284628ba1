import { expect, test } from 'vitest'
import type { PlaneCertificate } from '../../../src/control-plane/driver/plane-certificates.ts'
import { LeafRenewal } from '../../../src/keeper/duties/leaf-renewal.ts'

const DAY_MS = 24 * 3_600_000
const NOW = Date.parse('2026-06-01T12:00:00Z')
const { signal } = new AbortController()

/** Certificates of a plane, and what its keeper does about them. */
class World {
  time = NOW
  readonly reported: string[] = []
  tries = 0
  certificates: PlaneCertificate[] = []
  /** The result of a try. */
  outcome: () => string[] | undefined = () => ['etcd/server']
  renewal = this.restart()

  restart(): LeafRenewal {
    this.renewal = new LeafRenewal({
      certificates: () => Promise.resolve(this.certificates),
      renew: async () => {
        this.tries += 1
        return this.outcome()
      },
      report: ({ level, message, reason }) => this.reported.push(`${level} ${reason}: ${message}`),
      now: () => new Date(this.time),
    })
    return this.renewal
  }

  /** Returns the minutes until the next check. */
  async check(): Promise<number> {
    return ((await this.renewal.reconcile(signal)).getTime() - this.time) / 60_000
  }
}

function worldWith(...ends: ReadonlyArray<readonly [PlaneCertificate['kind'], days: number]>) {
  const world = new World()
  world.certificates = ends.map(([kind, days]) => {
    return { name: kind, kind, expiresAt: new Date(NOW + days * DAY_MS) }
  })
  return world
}

test('does not renew certificates before their last 90 days, and never CAs', async () => {
  const world = worldWith(['leaf', 91], ['authority', 1])

  expect(await world.check()).toBe(60)
  expect(world.tries).toBe(0)
  expect(world.renewal.status).toEqual({})
})

test('renews leaves in their last 90 days, and reports which', async () => {
  const world = worldWith(['leaf', 300], ['leaf', 90])

  expect(await world.check()).toBe(24 * 60)
  const report = 'normal CertificatesIssued: renewed before they expire: etcd/server'
  expect(world.reported).toEqual([report])
  expect(world.renewal.status).toEqual({})
})

test('renews once, however often it is called, and again at once after a restart', async () => {
  const world = worldWith(['leaf', 30])

  await world.check()
  world.time += 60_000
  await world.check()
  const before = world.tries
  world.restart()
  await world.check()

  expect([before, world.tries]).toEqual([1, 2])
})

test('retries soon when someone else changes the plane', async () => {
  const world = worldWith(['leaf', 30])
  world.outcome = () => undefined

  expect(await world.check()).toBe(1)
  world.outcome = () => ['apiserver']
  world.time += 60_000
  await world.check()

  expect(world.tries).toBe(2)
  expect(world.reported).toHaveLength(1)
})

test('shows why it fails until it succeeds', async () => {
  const world = worldWith(['leaf', 30])
  world.outcome = () => {
    throw new Error('keys of "dev" are gone')
  }

  expect(world.renewal.status).toBeUndefined()
  expect(await world.check()).toBe(10)
  expect(world.renewal.status).toEqual({ failure: 'keys of "dev" are gone' })
  world.outcome = () => ['apiserver']
  world.time += 600_000
  await world.check()

  expect(world.renewal.status).toEqual({})
})
