import { expect, test } from 'vitest'
import type { PlaneAlarm } from '../../../src/control-plane/status/plane-alarms.ts'
import { findAgain } from '../../../src/control-plane/use-cases/find/find-again.ts'
import { driverDuties } from '../../../src/keeper/duties/driver-duties.ts'
import type { Board } from '../../../src/keeper/duties/status-board.ts'
import { objectPath } from '../../../src/shared/kube/collections.ts'
import { omitUndefined } from '../../../src/shared/omit-undefined.ts'
import { operatedPlane, PLACE } from './operated-plane.ts'

test('measures a plane without a request, and reads its keys once', async () => {
  await using operated = await operatedPlane()
  const { cluster, driver, seen } = operated
  const [plane] = await seen.find('dev', PLACE)
  expect.assert(plane !== undefined && 'id' in plane)
  const none = <T>(value: T): Board<T> => ({ read: async () => value, write: async () => {} })
  const [watch] = driverDuties(
    {
      ...PLACE,
      driver: 'kubernetes',
      id: plane.id,
      spec: omitUndefined({ idle: plane.spec.idle }),
    },
    {
      driver,
      seen,
      etcdFigures: async () => ({ members: [] }),
      openApi: operated.dependencies().openApi,
      find: () => findAgain(seen, plane),
      isHeld: async () => false,
      storeOf: () => {
        throw new Error('it has no backups')
      },
      boards: { alarms: none<readonly PlaneAlarm[]>([]), backup: none({}), idle: none({}) },
      report: () => {},
      now: () => cluster.time,
    },
  )

  const first = await operated.asked(async () => watch?.reconcile(operated.signal))

  expect(first).toEqual(['list /api/v1/namespaces/team-a/secrets'])
  expect(await operated.asked(async () => watch?.reconcile(operated.signal))).toEqual([])
  expect(watch?.metrics?.()).toContain('vplane_component_up')
})

test('reads the keys of a plane again when one of its Secrets has changed', async () => {
  await using operated = await operatedPlane()
  const { seen } = operated
  const [plane] = await seen.find('dev', PLACE)
  expect.assert(plane !== undefined && 'id' in plane)
  const read = () => operated.asked(() => seen.certificates.list(plane))
  await read()
  expect(await read()).toEqual([])

  const secret = objectPath('secrets', { ...PLACE, name: 'vplane-dev-ca' })
  await operated.cluster.api.patch(
    secret,
    { metadata: { annotations: { a: 'b' } } },
    { type: 'merge' },
  )

  expect(await read()).toEqual(['list /api/v1/namespaces/team-a/secrets'])
})
