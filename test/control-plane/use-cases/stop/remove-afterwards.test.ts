import { expect, test } from 'vitest'
import { resumeControlPlane } from '../../../../src/control-plane/use-cases/stop/pause-control-plane.ts'
import { removeAfterwards } from '../../../../src/control-plane/use-cases/stop/remove-afterwards.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../../support/driver/fake-driver.ts'
import { HOSTED, worldWithPlane } from '../../../support/driver/world-with-plane.ts'

const NEVER = new AbortController().signal
const DEV = { name: 'dev', namespace: 'default' }

/** What the removal needs of a world, with a guard that can be asked whether it still has the plane. */
function owned({ accesses, driver, ui }: FakeComposition) {
  const guard = new AsyncDisposableStack()
  return { accesses, driver, guard, ui }
}

test('removes a plane afterwards, its credential, and then its guard', async () => {
  const local = new FakeDriver()
  const host = new FakeDriver({ name: 'kubernetes' })
  host.failure = new Error('was asked')
  const world = new FakeComposition({ drivers: [local, host] })
  const plane = await world.plane('run-1')
  await world.plane('run-2')
  const ready = { name: 'run-1', driver: 'local', signal: NEVER, timeoutMs: 2000 } as const
  await resumeControlPlane(world, ready)
  const dependencies = owned(world)

  {
    await using _removed = removeAfterwards(dependencies, { name: 'run-1' })
    expect(local.planes.size).toBe(2)
  }

  expect([...local.planes.keys()]).toEqual(['/run-2'])
  expect(await world.accesses.read(plane)).toBeUndefined()
  expect(dependencies.guard.disposed).toBe(true)
  expect(world.ui.warnings).toEqual([])
})

test('has nothing to remove of a plane that was never made, and removes what cannot be read', async () => {
  const world = new FakeComposition()
  await world.driver.damage(await world.plane('bad'))

  for (const name of ['never', 'bad']) {
    await removeAfterwards(owned(world), { name })[Symbol.asyncDispose]()
  }

  expect(world.driver.planes.size).toBe(0)
})

test.for([
  [
    'fails',
    ({ driver }: FakeComposition) => {
      driver.remove = () => Promise.reject(new Error('the host does not answer'))
    },
    'the host does not answer',
  ],
  [
    'leaves something',
    ({ driver }: FakeComposition) => {
      driver.leftovers = [{ what: 'Namespace "team"', why: 'it is Terminating' }]
    },
    'Namespace "team": it is Terminating',
  ],
] as const)('warns when the removal %s, keeps the guard, and hides nothing', async (row) => {
  const [, spoil, reason] = row
  const { world } = await worldWithPlane(HOSTED)
  spoil(world)
  const dependencies = owned(world)
  const work = async () => {
    await using _removed = removeAfterwards(dependencies, DEV)
    throw new Error('EEXIT: 3')
  }

  await expect(work()).rejects.toThrow(/^EEXIT: 3$/)

  expect(world.ui.warnings).toEqual([
    `"dev" was not deleted completely, and vplane tries again in the background: ${reason}; vplane delete dev --namespace default`,
  ])
  expect(dependencies.guard.disposed).toBe(false)
})

test('does not warn about what was kept on purpose', async () => {
  const { driver, world } = await worldWithPlane(HOSTED)
  driver.leftovers = [{ what: 'PersistentVolume "data"', why: 'Retain', isKept: true }]
  const dependencies = owned(world)

  await removeAfterwards(dependencies, DEV)[Symbol.asyncDispose]()

  expect(world.ui.warnings).toEqual([])
  expect(dependencies.guard.disposed).toBe(true)
})
