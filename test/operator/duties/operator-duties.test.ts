import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { WokenPlane } from '../../../src/keeper/wake/plane-gateway.ts'
import { keepDeclaredPlanes } from '../../../src/operator/duties/operator-duties.ts'
import { wakesByAddress } from '../../../src/keeper/wake/wakes-by-address.ts'
import { Operated } from '../seen/operated-plane.ts'

test('begins with a part of many planes at a time', async () => {
  await using operated = new Operated()
  const { driver, host, reads, seen } = operated
  const { now, openApi } = operated.dependencies()
  const stop = new AbortController()
  const begun: string[] = []
  const gateway = {
    wakes: wakesByAddress({
      boardOf: () => {
        throw new Error('no client has come')
      },
      report: () => {},
      now,
    }),
    closing: () => {
      throw new Error('nobody has paused one')
    },
    gatewayOf: ({ name }: WokenPlane) => {
      begun.push(name)
      return {
        reconcile: (signal: AbortSignal) => delay(60_000, now(), { signal }),
        during: async () => {},
      }
    },
  }
  const planes = Array.from({ length: 120 }, (_, index) => asleep(`dev-${index}`))

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
      snapshotsFor: () => {
        throw new Error('there are no backups')
      },
    },
    () => planes,
    stop.signal,
  )

  await expect.poll(() => begun.length).toBe(50)
  await expect.poll(() => begun.length, { timeout: 5000 }).toBe(120)
  expect(new Set(begun).size).toBe(120)
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
