import { expect, test } from 'vitest'
import { resolvePlane } from '../../../../src/control-plane/use-cases/find/resolve-plane.ts'
import {
  selectPlanes,
  type SelectOptions,
} from '../../../../src/control-plane/use-cases/find/select-planes.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { parseLabelSelector } from '../../../../src/shared/kube/label-selector.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../../support/driver/fake-driver.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const SHOP = { labels: { team: 'shop' } }

/** Planes of the team "shop" of two drivers, and one of no team. */
async function twoDrivers() {
  const local = new FakeDriver()
  const kubernetes = new FakeDriver({ name: 'kubernetes', hostContext: 'work' })
  const world = new FakeComposition({ drivers: [local, kubernetes] })
  await world.plane('zulu', SHOP)
  await world.plane('bare')
  await world.plane('mike', { ...SHOP, driver: kubernetes, namespace: 'b' })
  await world.plane('mike', { ...SHOP, driver: kubernetes, namespace: 'a' })
  return { local, kubernetes, world }
}

function select(
  world: FakeComposition,
  { text = 'team=shop', ...options }: Partial<SelectOptions> & { text?: string } = {},
) {
  return selectPlanes(world, { labels: parseLabelSelector(text), ...options })
}

test('selects the planes with the labels in all drivers, by name', async () => {
  const { world } = await twoDrivers()

  const planes = await select(world)

  expect(planes).toEqual([
    expect.objectContaining({ name: 'mike', driver: 'kubernetes', namespace: 'a' }),
    expect.objectContaining({ name: 'mike', driver: 'kubernetes', namespace: 'b' }),
    expect.objectContaining({ name: 'zulu', driver: 'local' }),
  ])
  expect(await select(world, { text: 'team=other' })).toEqual([])
})

test('selects in the driver and the namespace that are named', async () => {
  const { world } = await twoDrivers()

  expect(await select(world, { driver: 'local' })).toMatchObject([{ name: 'zulu' }])
  expect(await select(world, { namespace: 'b' })).toMatchObject([{ name: 'mike', namespace: 'b' }])
})

test('a selector finds its plane, but not a later one of the name', async () => {
  const { local, world } = await twoDrivers()
  const [plane = { name: 'none' }] = await select(world, { driver: 'local' })
  const found = await resolvePlane(world, plane)

  await local.remove(found.plane, { ui: world.ui, signal: new AbortController().signal })
  await world.plane('zulu', SHOP)
  const error = await rejectionOf(resolvePlane(world, plane))

  expect(found.plane.name).toBe('zulu')
  expect(error).toMatchObject({
    code: 'CONTROL_PLANE_NOT_FOUND',
    message: '"zulu" was deleted meanwhile',
  })
})

test('fails when a driver cannot be listed, with the option that skips it', async () => {
  const { kubernetes, world } = await twoDrivers()
  const unreachable = new VplaneError('UNREACHABLE', 'the host cluster does not answer')
  kubernetes.list = () => Promise.reject(unreachable)

  expect(await rejectionOf(select(world))).toMatchObject({
    code: 'UNREACHABLE',
    message: 'planes of the driver kubernetes cannot be listed: the host cluster does not answer',
    hints: ['to skip them: --driver local'],
  })
  expect(await rejectionOf(select(world, { driver: 'kubernetes' }))).toBe(unreachable)
  expect(await select(world, { driver: 'local' })).toHaveLength(1)
})
