import { expect, test } from 'vitest'
import { isReadable } from '../../../../src/control-plane/plane/unreadable-plane.ts'
import {
  checkCertificates,
  type CheckOptions,
} from '../../../../src/control-plane/use-cases/rotate/check-certificates.ts'
import { rotateCertificates } from '../../../../src/control-plane/use-cases/rotate/rotate-certificates.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { FakeDriver } from '../../../support/driver/fake-driver.ts'
import { worldWithPlane } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const DAY_MS = 24 * 3_600_000
const { signal } = new AbortController()

/** `plane/name`, with a `!` when it ends soon. */
async function linesOf(world: FakeComposition, options: Partial<CheckOptions> = {}) {
  const usual = { now: new Date(2026, 0), withinMs: 30 * DAY_MS }
  const { certificates } = await checkCertificates(world, { ...usual, ...options })
  return certificates.map(
    ({ isEnding, name, plane }) => `${plane.name}/${name}${isEnding ? '!' : ''}`,
  )
}

async function uncheckedOf(world: FakeComposition) {
  const now = new Date(2026, 0)
  const { unchecked } = await checkCertificates(world, { now, withinMs: DAY_MS })
  return unchecked.map(({ driver, plane, reason }) =>
    [driver, plane?.name].filter(Boolean).join(' ').concat(`: ${reason}`),
  )
}

async function somePlanes() {
  const local = new FakeDriver()
  const kubernetes = new FakeDriver({ name: 'kubernetes', hostContext: 'work' })
  const world = new FakeComposition({ drivers: [kubernetes, local] })
  await world.plane('mike', { driver: kubernetes })
  await world.plane('alfa', { driver: local })
  return { kubernetes, local, world }
}

const OF_ALFA = ['alfa/ca', 'alfa/apiserver', 'alfa/sa']
const OF_MIKE = ['mike/ca', 'mike/apiserver', 'mike/sa']

test('checks every plane by name, with keys, which never end', async () => {
  const { world } = await somePlanes()

  expect(await linesOf(world)).toEqual([...OF_ALFA, ...OF_MIKE])
})

test.for([
  ['ends within the time', { withinMs: 366 * DAY_MS }],
  ['has ended', { now: new Date(2028, 0) }],
] as const)('marks what %s', async ([, options]) => {
  const { world } = await somePlanes()

  const lines = await linesOf(world, { name: 'alfa', ...options })

  expect(lines).toEqual(['alfa/ca', 'alfa/apiserver!', 'alfa/sa'])
})

test('knows the client certificates in contexts of the plane, and of no other', async () => {
  const { world } = await somePlanes()
  world.contexts.ended = [{ context: 'vplane_alfa', plane: { name: 'alfa', driver: 'local' } }]

  expect(await linesOf(world, { name: 'alfa' })).toContain('alfa/vplane_alfa!')
  expect((await linesOf(world, { name: 'mike' })).join()).not.toContain('!')
})

test('reports what cannot be read among all planes, and fails for a named one', async () => {
  const { local, world } = await somePlanes()
  local.certificates.list = () => Promise.reject(new Error('no right to'))

  expect(await linesOf(world)).toEqual(OF_MIKE)
  expect(await uncheckedOf(world)).toEqual(['local alfa: no right to'])
  await expect(linesOf(world, { name: 'alfa' })).rejects.toThrow('no right to')
})

test('reports which planes, and which drivers, cannot be read', async () => {
  const { kubernetes, local, world } = await somePlanes()
  const [alfa] = await local.find('alfa')
  expect.assert(alfa !== undefined && isReadable(alfa))
  world.contexts.ended = [{ context: 'vplane_alfa', plane: { name: 'alfa', driver: 'local' } }]
  await local.damage(alfa)
  kubernetes.failure = new Error('no route to host')

  expect(await linesOf(world)).toEqual(['alfa/vplane_alfa!'])
  expect(await uncheckedOf(world)).toEqual([
    'kubernetes: no route to host',
    'local alfa: plane.json is damaged',
  ])
})

test('skips a plane of which only the data is kept', async () => {
  const { local, world } = await somePlanes()
  const inside = local.inside({ name: 'alfa' })
  inside.stored = { name: 'alfa', driver: 'local', reason: 'deleted', isKept: true }

  expect((await linesOf(world)).join()).not.toContain('alfa')
  expect(await uncheckedOf(world)).toEqual([])
})

test('searches the namespaces of contexts for users who may not list all namespaces', async () => {
  const { kubernetes, world } = await somePlanes()
  const likely: Array<readonly string[] | undefined> = []
  world.contexts.planes = () =>
    Promise.resolve([{ name: 'mike', driver: 'kubernetes', namespace: 'team' }])
  kubernetes.list = async (scope) => {
    likely.push(await scope?.likelyNamespaces?.())
    return []
  }

  await linesOf(world)

  expect(likely).toEqual([['team']])
})

const ROTATION = { name: 'dev', isConfirmed: true, isDryRun: false, signal }

test.for([
  ['renews leaves after a yes, and nothing else', false, ['renewLeaves dev']],
  ['renews nothing in a dry run, and shows what it would renew', true, []],
] as const)('%s', async ([, isDryRun, calls]) => {
  const { driver, world } = await worldWithPlane()

  const { certificates } = await rotateCertificates(world, { ...ROTATION, isDryRun })

  expect(certificates).toEqual(['apiserver'])
  expect(driver.calls).toEqual(calls)
})

test('issues nothing after a no', async () => {
  const { driver, world } = await worldWithPlane({ answers: [false] })

  const error = await rejectionOf(rotateCertificates(world, { ...ROTATION, isConfirmed: false }))

  expect(error.code).toBe('ABORTED')
  expect(driver.calls).not.toContain('renewLeaves dev')
})
