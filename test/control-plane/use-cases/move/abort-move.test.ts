import { expect, test } from 'vitest'
import { createSnapshot } from '../../../../src/control-plane/use-cases/snapshot/create-snapshot.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import {
  breakThere,
  CONFIG_MAP,
  configMap,
  dieOnceHandedOver,
  failOnce,
  type TwoPlaces,
  twoPlaces,
  THERE,
} from '../../../support/contracts/two-places.ts'

test('neither brings data again nor goes back once the plane there may have taken writes', async () => {
  await using world = await twoPlaces()
  failOnce(world.there, 'endpoint')
  await expect(world.move()).rejects.toThrow('cut off')
  const { api } = world.there.inside(THERE)
  api.put('/api/v1/namespaces/default/configmaps/since', configMap('since'))

  const refusal = await rejectionOf(world.abort())
  const { fingerprint } = await world.move()

  expect(refusal.message).toContain('"dev" has moved to driver kubernetes')
  expect(fingerprint).toBeUndefined()
  expect(api.objects.has('/api/v1/namespaces/default/configmaps/since')).toBe(true)
})

test.for<[string, (world: TwoPlaces) => void]>([
  ['the plane was made there', ({ here }) => failOnce(here.moves, 'leave')],
  ['it was fenced', ({ here }) => failOnce(here, 'snapshot')],
  ['its data was brought there', ({ there }) => failOnce(there.moves, 'fingerprint')],
  ['it was handed over, which was not noted there', dieOnceHandedOver],
  ['it was handed over, and its API never came up there', breakThere],
])('comes back whole when %s', async ([, prepare]) => {
  await using world = await twoPlaces()
  prepare(world)
  await expect(world.move()).rejects.toThrow()

  const { isAborted } = await world.abort()

  expect(isAborted).toBe(true)
  expect(await world.there.find('dev')).toEqual([])
  expect(world.here.inside({ name: 'dev' }).status().phase).toBe('Ready')
  expect(world.here.inside({ name: 'dev' }).api.objects.has(CONFIG_MAP)).toBe(true)
})

test.for<[string, (world: TwoPlaces) => void]>([
  ['before it was taken back', ({ there }) => failOnce(there.moves, 'takeBack')],
  ['before it was removed there', ({ there }) => failOnce(there, 'remove')],
])('continues or aborts after an abort that was interrupted %s', async ([, prepare]) => {
  await using on = await twoPlaces()
  await using back = await twoPlaces()
  for (const world of [on, back]) {
    breakThere(world)
    await expect(world.move()).rejects.toThrow()
    prepare(world)
    await expect(world.abort()).rejects.toThrow('cut off')
  }

  on.there.inside(THERE).broken.clear()
  await on.move()
  await back.abort()

  expect(on.there.inside(THERE).api.objects.has(CONFIG_MAP)).toBe(true)
  expect(await on.here.find('dev')).toEqual([])
  expect(back.here.inside({ name: 'dev' }).api.objects.has(CONFIG_MAP)).toBe(true)
  expect(await back.there.find('dev')).toEqual([])
})

test('is not aborted while the place that it was handed over to cannot be reached', async () => {
  await using world = await twoPlaces()
  breakThere(world)
  await expect(world.move()).rejects.toThrow()
  world.there.failure = new VplaneError('UNREACHABLE', 'nothing answers')

  const refusal = await rejectionOf(world.abort({ driver: 'local' }))

  expect(refusal.message).toContain('where it may have accepted writes since')
  expect(world.here.inside({ name: 'dev' }).status().phase).toBe('Fenced')
})

test('goes back although where it was to go cannot be reached any more', async () => {
  await using world = await twoPlaces()
  failOnce(world.here, 'snapshot')
  await expect(world.move()).rejects.toThrow('cut off')
  world.there.failure = new VplaneError('UNREACHABLE', 'nothing answers')

  const ended = await world.abort({ driver: 'local' })

  expect(ended.leftovers).toEqual([
    {
      what: 'the plane at its new place: driver kubernetes, namespace team, host context work',
      why: 'nothing answers',
    },
  ])
  expect(world.here.inside({ name: 'dev' }).status().phase).toBe('Ready')
})

test('ends no move that was never begun', async () => {
  await using world = await twoPlaces()

  const failure = await rejectionOf(world.abort())

  expect(failure.code).toBe('NOT_FOUND')
})

test('leaves a plane paused that was paused before it was to be moved', async () => {
  await using world = await twoPlaces()
  await world.here.pause(world.source, world.operation)
  breakThere(world)
  await expect(world.move()).rejects.toThrow()

  const { steps } = await world.abort()

  expect(world.here.inside({ name: 'dev' }).status().phase).toBe('Paused')
  expect(world.here.inside({ name: 'dev' }).hasEtcd()).toBe(false)
  expect(steps.at(-1)).toEqual({ action: 'leave-paused', place: 'driver local' })
})

test.for<[string, (world: TwoPlaces) => Promise<unknown>]>([
  ['continues', (world) => world.move()],
  ['is ended', (world) => world.abort()],
])('leaves no snapshot of a move that was killed, once that %s', async ([, act]) => {
  await using world = await twoPlaces()
  const { local } = world.snapshots
  // A killed process deletes nothing.
  const remove = world.snapshots.delete.bind(world.snapshots)
  world.snapshots.delete = () => Promise.resolve()
  dieOnceHandedOver(world)
  await expect(world.move()).rejects.toThrow('cut off')
  world.snapshots.delete = remove
  world.time = new Date(world.time.getTime() + 60_000)
  await createSnapshot(world, { name: 'dev', driver: 'local', signal: world.operation.signal })
  const before = await local.list(world.operation.signal)

  await act(world)

  expect(before).toMatchObject([{ moveOf: world.source.id }, { plane: 'dev' }])
  expect(await local.list(world.operation.signal)).toMatchObject([{ id: before[1]?.id }])
})
