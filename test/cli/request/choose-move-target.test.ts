import { expect, test } from 'vitest'
import { chooseMoveTarget, type MoveFlags } from '../../../src/cli/request/choose-move-target.ts'
import { FakeComposition } from '../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../support/driver/fake-driver.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

test.for<[MoveFlags, 'local' | 'kubernetes', string]>([
  [{ 'to-context': 'play' }, 'local', 'play, of-play'],
  [{ 'to-context': 'play' }, 'kubernetes', 'play, team'],
  [{ 'to-context': 'play', 'to-namespace': 'x' }, 'kubernetes', 'play, x'],
  [{ 'to-context': 'work', 'to-namespace': 'x' }, 'kubernetes', 'work, x'],
  [{ 'to-namespace': 'x' }, 'kubernetes', 'work, x'],
  [{ 'to-driver': 'kubernetes' }, 'local', 'work, of-work'],
  [{ 'to-driver': 'local' }, 'kubernetes', 'local'],
])('%j moves a plane of the driver %s to %s', async ([flags, driver, place]) => {
  const { choose } = await machine(driver)

  expect(await choose(flags)).toBe(place)
})

test('opens the host cluster of another context alone', async () => {
  const { choose, opened } = await machine('kubernetes')

  await choose({ 'to-context': 'work', 'to-namespace': 'x' })
  await choose({ 'to-context': 'play' })

  expect(opened).toEqual(['play'])
})

test('takes the host cluster behind the context of the plane', async () => {
  const { choose, places } = await machine('local')
  places.hostContext = () => Promise.resolve(undefined)
  places.contexts.current = 'work'

  expect(await choose({ 'to-namespace': 'x' })).toBe('work, x')
})

test('continues to where a plane is being moved', async () => {
  const { choose, plane } = await machine('local')
  const to = { name: 'dev', driver: 'kubernetes', namespace: 'x', hostContext: 'play' } as const
  plane.movingTo = { to }

  expect(await choose({})).toBe('play, x')
})

test.for<[MoveFlags, string]>([
  [{}, 'no target is given for "dev"'],
  [{ 'to-driver': 'local', 'to-context': 'play' }, 'have no --to-context'],
  [{ 'to-driver': 'local', 'to-namespace': 'x' }, 'have no --to-namespace'],
])('refuses %j', async ([flags, message]) => {
  const { choose } = await machine('kubernetes')

  const error = await rejectionOf(choose(flags))

  expect(error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(message) })
})

test('says that there is nothing to abort, as when someone has aborted it already', async () => {
  const { choose } = await machine('kubernetes')

  const error = await rejectionOf(choose({ abort: true }))

  expect(error).toMatchObject({ code: 'NOT_FOUND', message: 'no move of "dev" is under way' })
})

/** A machine with a plane, and two host clusters: `work`, which is the current one, and `play`. */
async function machine(driver: 'local' | 'kubernetes') {
  const drivers = [new FakeDriver(), new FakeDriver({ name: 'kubernetes', hostContext: 'work' })]
  const composition = new FakeComposition({ drivers })
  const own = drivers.find(({ name }) => name === driver)
  const namespace = driver === 'local' ? {} : { namespace: 'team' }
  const plane = await composition.plane('dev', { ...(own && { driver: own }), ...namespace })
  const opened: string[] = []
  const places = Object.assign(composition, {
    hostContext: (): Promise<string | undefined> => Promise.resolve('work'),
    hostNamespace: () => Promise.resolve('of-work'),
    otherHost: (context: string) => {
      opened.push(context)
      const other = new FakeDriver({ name: 'kubernetes', hostContext: context })
      return { driver: other, namespace: () => Promise.resolve(`of-${context}`) }
    },
  })
  const choose = async (flags: MoveFlags) => {
    const target = await chooseMoveTarget(places, plane, flags)
    return target.host === undefined
      ? target.driver.name
      : `${target.hostContext}, ${target.host.namespace}`
  }
  return { choose, opened, places, plane }
}
