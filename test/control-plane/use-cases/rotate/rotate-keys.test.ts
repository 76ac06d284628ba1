import { expect, test } from 'vitest'
import { ROTATION_WORDS } from '../../../../src/control-plane/rotation/rotation-words.ts'
import { ROTATED_KEYS, ROTATION_STAGES } from '../../../../src/control-plane/rotation/rotation.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { rotateKeys } from '../../../../src/control-plane/use-cases/rotate/rotate-keys.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { worldWithPlane } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const OPTIONS = {
  name: 'dev',
  keys: 'service-account-key',
  isConfirmed: true,
  isDryRun: false,
  timeoutMs: 2000,
  signal: new AbortController().signal,
} as const

test('takes the next stage, and returns the one after it', async () => {
  const { world } = await worldWithPlane()

  const first = await rotateKeys(world, OPTIONS)
  const second = await rotateKeys(world, OPTIONS)
  const third = await rotateKeys(world, OPTIONS)

  expect([first, second, third].map(({ next, stages }) => [stages, next])).toEqual([
    [['prepare'], 'switch'],
    [['switch'], 'complete'],
    [['complete'], undefined],
  ])
  expect(world.contexts.trusted).toHaveLength(3)
})

test('goes through all stages up to the one that is asked for', async () => {
  const { world } = await worldWithPlane()

  const all = await rotateKeys(world, { ...OPTIONS, until: 'complete' })

  const stages = ['prepare', 'switch', 'complete']
  expect(all).toMatchObject({ stages, isChanged: true })
  expect(all.next).toBeUndefined()
  expect(stepsOf(world)).toEqual(stages.map((stage) => `rotate service-account-key ${stage}`))
})

test('continues the last stage when it was interrupted before contexts were updated', async () => {
  const { world } = await worldWithPlane()
  const trust = world.contexts.trust.bind(world.contexts)
  await rotateKeys(world, { ...OPTIONS, until: 'switch' })
  world.contexts.trust = () => Promise.reject(new Error('cut off'))

  await expect(rotateKeys(world, OPTIONS)).rejects.toThrow('cut off')
  world.contexts.trust = trust
  const again = await rotateKeys(world, { ...OPTIONS, until: 'complete' })

  expect(again).toMatchObject({ stages: ['complete'], isChanged: true })
  expect(world.contexts.trusted).toHaveLength(3)
})

test('shows what stops working before it asks, and changes nothing after a no', async () => {
  const { world } = await worldWithPlane({ answers: [false] })

  const options = { ...OPTIONS, until: 'complete', isConfirmed: false } as const
  const error = await rejectionOf(rotateKeys(world, options))

  expect(error.code).toBe('ABORTED')
  expect(world.ui.notes.join('\n')).toContain('tokens from before the switch')
  expect(stepsOf(world)).toEqual([])
})

test.for<[UserSpec, string]>([
  [{}, 'etcd, kube-apiserver, kube-controller-manager'],
  [{ sync: {} }, 'etcd, kube-apiserver, kube-controller-manager, syncer and CoreDNS'],
])('names what is replaced, in its order, of a plane with %o', async ([userSpec, components]) => {
  const { world } = await worldWithPlane({ driver: { name: 'kubernetes' }, spec: userSpec })

  const { steps } = await rotateKeys(world, { ...OPTIONS, keys: 'ca', isDryRun: true })

  expect(steps).toMatchObject([{ action: 'rotate-keys', keys: 'ca', stage: 'prepare' }])
  expect(world.ui.notes).toContain(
    `  1. prepare: create new CAs, and let all components trust both; replaces ${components}`,
  )
})

test('does nothing in a dry run, or when it was done', async () => {
  const { world } = await worldWithPlane()
  await rotateKeys(world, OPTIONS)

  const said = await rotateKeys(world, { ...OPTIONS, isDryRun: true })
  const again = await rotateKeys(world, { ...OPTIONS, until: 'prepare' })

  expect(said).toMatchObject({ stages: ['switch'], next: 'complete', isChanged: false })
  expect(again).toMatchObject({ stages: [], next: 'switch', isChanged: false })
  expect(stepsOf(world)).toHaveLength(1)
})

test('refuses a paused plane', async () => {
  const { plane, world } = await worldWithPlane()
  await world.driver.pause(plane, operationOf(world))

  const error = await rejectionOf(rotateKeys(world, OPTIONS))

  expect(error).toMatchObject({ code: 'FAILED', hints: ['vplane resume dev'] })
})

test('drops the old encryption key only when etcd has no Secret with it', async () => {
  const { world } = await worldWithPlane()
  const plane = await world.plane('encrypted', { encryption: { secrets: true } })
  const ofKey = { ...OPTIONS, name: plane.name, keys: 'encryption-key' } as const
  const options = { ...ofKey, until: 'complete' } as const
  world.driver.inside(plane).secretsInEtcd = () => ({ count: 1, stale: ['a/gone'] })

  const error = await rejectionOf(rotateKeys(world, options))
  const before = world.driver.inside(plane).rotation(options.keys)
  world.driver.inside(plane).secretsInEtcd = () => ({ count: 1, stale: [] })
  await rotateKeys(world, options)

  expect(error.message).toContain('etcd still has Secrets encrypted with another key: a/gone')
  expect(before).toEqual({ taken: 'switch' })
  expect(world.driver.inside(plane).rotation(options.keys)).toEqual({})
})

test.for([
  [{ keys: 'encryption-key' }, 'are not encrypted'],
  [{ keys: 'ca' }, 'the rotation of the key of ServiceAccount tokens of "dev" was interrupted'],
] as const)('refuses %j of a plane where it cannot be', async ([options, words]) => {
  const { inside, world } = await worldWithPlane()
  inside.unfinished = { keys: 'service-account-key', stage: 'switch' }

  const error = await rejectionOf(rotateKeys(world, { ...OPTIONS, ...options }))

  expect(error.message).toContain(words)
  expect(stepsOf(world)).toEqual([])
})

/** What was chosen before the question, and how far another vplane has gone meanwhile; after all of it prepare is next again. */
const CROSSINGS = ROTATED_KEYS.flatMap((keys) => [
  [keys, 'prepare', 'prepare'] as const,
  [keys, 'prepare', 'switch'] as const,
  [keys, 'switch', 'switch'] as const,
  [keys, 'switch', 'complete'] as const,
  [keys, 'complete', 'complete'] as const,
])

test.for(CROSSINGS)('takes no stage of %s at %s when others took %s', async ([keys, from, to]) => {
  const { world } = await worldWithPlane()
  const { name } = await world.plane('encrypted', { encryption: { secrets: true } })
  const options = { ...OPTIONS, name, keys }
  for (const stage of ROTATION_STAGES.slice(0, ROTATION_STAGES.indexOf(from))) {
    await rotateKeys(world, { ...options, until: stage })
  }
  world.ui.confirm = async () => {
    await rotateKeys(world, { ...options, until: to })
    return true
  }

  const error = await rejectionOf(rotateKeys(world, { ...options, isConfirmed: false }))

  const { what } = ROTATION_WORDS[keys]
  expect(error).toMatchObject({ code: 'FAILED' })
  expect(error.message).toBe(`another vplane has continued the rotation of ${what} of "${name}"`)
  const plane = world.driver.inside({ name })
  expect(plane.rotation(keys)).toEqual(to === 'complete' ? {} : { taken: to })
})

test('holds the plane between the check of Secrets in etcd and the drop of their old key', async () => {
  const { world } = await worldWithPlane()
  const plane = await world.plane('encrypted', { encryption: { secrets: true } })
  const options = { ...OPTIONS, name: plane.name, keys: 'encryption-key' } as const
  await rotateKeys(world, { ...options, until: 'switch' })
  const foreign: Array<Promise<unknown>> = []
  world.driver.inside(plane).secretsInEtcd = () => {
    const step = { keys: options.keys, stage: 'complete' } as const
    foreign.push(rejectionOf(world.driver.certificates.rotate(plane, step, operationOf(world))))
    return { count: 0, stale: [] }
  }

  await rotateKeys(world, options)

  expect(await Promise.all(foreign)).toMatchObject([{ code: 'FAILED' }])
})

function operationOf({ ui }: FakeComposition) {
  return { ui, signal: OPTIONS.signal }
}

function stepsOf(world: FakeComposition): string[] {
  return world.driver.calls.filter((call) => call.startsWith('rotate '))
}
