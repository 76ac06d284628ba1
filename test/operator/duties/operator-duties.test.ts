import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { WokenPlane } from '../../../src/keeper/wake/plane-gateway.ts'
import { keepDeclaredPlanes } from '../../../src/operator/duties/operator-duties.ts'
import { ServedMetrics } from '../../../src/keeper/served-metrics.ts'
import { wakesByAddress } from '../../../src/keeper/wake/wakes-by-address.ts'
import { Operated } from '../seen/operated-plane.ts'

test('begins with a part of many planes at a time, and at once with those for which clients wait', async () => {
  await using operated = new Operated()
  const { driver, host, reads, seen } = operated
  const { now, openApi } = operated.dependencies()
  const stop = new AbortController()
  const begun: string[] = []
  const served = new ServedMetrics()
  const gateway = {
    wakes: wakesByAddress({
      boardOf: () => {
        throw new Error('no client has come')
      },
      report: () => {},
      now,
    }),
    hasClients: ({ name }: { name: string }) => name === 'dev-110',
    closing: () => {
      throw new Error('nobody has paused one')
    },
    gatewayOf: ({ name }: WokenPlane) => {
      begun.push(name)
      return {
        reconcile: (signal: AbortSignal) => delay(60_000, now(), { signal }),
        metrics: () => `of_${name} 1\n`,
        during: async () => {},
      }
    },
  }
  let planes = Array.from({ length: 120 }, (_, index) => asleep(`dev-${index}`))

  const running = keepDeclaredPlanes(
    {
      cluster: operated.cluster,
      driver,
      environment: {},
      gateway,
      host,
      log: () => {},
      now,
      openApi,
      reads,
      reportOn: () => () => {},
      seen,
      served,
      snapshotsFor: () => {
        throw new Error('there are no backups')
      },
    },
    () => planes,
    stop.signal,
  )

  await expect.poll(() => begun.length).toBe(21)
  expect(begun[0]).toBe('dev-110')
  await expect.poll(() => begun.length, { timeout: 5000 }).toBe(120)
  expect(new Set(begun).size).toBe(120)
  expect(served.text()).toContain('of_dev-119 1')

  planes = planes.slice(0, 1)

  await expect.poll(() => served.text(), { timeout: 5000 }).toBe('of_dev-0 1\n')
  stop.abort()
  await running
})

function asleep(name: string): Plane {
  const userSpec = { idle: '1m', wake: { by: 'any' } } as const
  return {
    name,
    namespace: 'team-a',
    id: name,
    driver: 'kubernetes',
    createdAt: new Date(),
    writtenBy: '',
    userSpec,
    spec: resolveSpec(userSpec, 'kubernetes', { isDeclared: true }),
    desired: 'paused',
    idleSince: new Date(),
  }
}
