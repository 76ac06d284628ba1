import { expect, test, vi } from 'vitest'
import type { Operators } from '../../../../src/control-plane/declared/operators.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import {
  deleteControlPlane,
  type DeleteOptions,
} from '../../../../src/control-plane/use-cases/stop/delete-control-plane.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { HOSTED } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { RecordingUi } from '../../../support/driver/recording-ui.ts'

const { signal } = new AbortController()
const DATABASE: UserSpec = {
  store: { kine: { postgres: { host: 'db.example.com', credentialsSecret: 'owner' } } },
}

/** A plane that a ControlPlane declares, and what is done to that, in order with what is done to the plane. */
async function declared(userSpec: UserSpec) {
  const world = new FakeComposition(HOSTED)
  const { calls } = world.driver
  const request = { name: 'dev', userSpec, spec: resolveSpec(userSpec, 'kubernetes') }
  const operation = { ui: new RecordingUi(), signal }
  await world.driver.create({ ...request, declaredBy: 'uid-1', wait: true }, operation)
  calls.length = 0
  const own = { name: 'dev', namespace: 'default', uid: 'uid-1', generation: 1, isReady: true }
  const operators: Pick<Operators, 'amend' | 'declarations' | 'free' | 'withdraw'> = {
    declarations: () => Promise.resolve([own]),
    amend: async (_place, fields) => calls.push(`amend ${JSON.stringify(fields)}`),
    withdraw: async () => void calls.push('withdraw'),
    free: async () => void calls.push('free'),
  }
  const openOperators = () => Promise.resolve(operators)
  const { accesses, contexts, drivers, openSnapshots, tunnels, ui } = world
  const dependencies = { accesses, contexts, drivers, openOperators, openSnapshots, tunnels, ui }
  const remove = (options: Partial<DeleteOptions> = {}) =>
    deleteControlPlane(dependencies, { name: 'dev', isConfirmed: true, signal, ...options })
  return { calls, driver: world.driver, remove }
}

test('deletes its ControlPlane first, and lets it end afterwards', async () => {
  const { calls, remove } = await declared({})

  await remove()

  expect(calls).toEqual(['withdraw', 'remove dev', 'free'])
})

test('tells its operator to leave the data, before that deletes it', async () => {
  const { calls, remove } = await declared(DATABASE)

  await remove({ leaveData: true })

  expect(calls).toEqual([
    'amend [{"path":["deletionPolicy"],"value":"LeaveData"}]',
    'withdraw',
    'remove dev leaving its data',
    'free',
  ])
})

test.for([
  ['stays, for its operator to try again, with the plane whose database', DATABASE, false],
  ['ends with another plane that', {}, true],
] as const)('its ControlPlane %s cannot be deleted', async ([, spec, isFreed]) => {
  const { calls, driver, remove } = await declared(spec)
  vi.spyOn(driver, 'remove').mockRejectedValue(new VplaneError('UNREACHABLE', 'cannot connect'))

  const failure = await rejectionOf(remove())

  expect(failure.message).toBe('cannot connect')
  expect(failure.hints.length).toBe(isFreed ? 0 : 1)
  expect(calls.includes('free')).toBe(isFreed)
})
