import { expect, test, vi } from 'vitest'
import { stepText } from '../../../../src/cli/catalog/step-text.ts'
import { moveSentence } from '../../../../src/cli/results/move-outcome.ts'
import type { PlaneTools } from '../../../../src/control-plane/driver/plane-tools.ts'
import { connectControlPlane } from '../../../../src/control-plane/use-cases/connect/connect-control-plane.ts'
import type { MoveOptions } from '../../../../src/control-plane/use-cases/move/move-control-plane.ts'
import { restoreControlPlane } from '../../../../src/control-plane/use-cases/restore/restore-control-plane.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import {
  CONFIG_MAP,
  configMap,
  dieOnceHandedOver,
  failOnce,
  isChange,
  THERE,
  type TwoPlaces,
  twoPlaces,
} from '../../../support/contracts/two-places.ts'

const NEVER = new AbortController().signal
const CONNECT = { name: 'dev', embedCredentials: false, timeoutMs: 2000, signal: NEVER }

test('brings a plane elsewhere, the same but for its address, and removes it where it was', async () => {
  await using world = await twoPlaces({ version: '1.35', clusterDomain: 'dev.test' })

  const result = await world.move()

  const { api, keys } = world.there.inside(THERE)
  const [plane] = await world.there.find('dev')
  expect(result).toMatchObject({ isMoved: true, to: THERE, leftovers: [] })
  expect(result.fingerprint?.keys).toBeGreaterThan(0)
  expect(plane).toMatchObject({ desired: 'running', spec: { clusterDomain: 'dev.test' } })
  expect(plane).not.toHaveProperty('restoring')
  expect(api.objects.has(CONFIG_MAP)).toBe(true)
  expect(keys).toMatchObject({ 'sa.key': 'token key of local-1' })
  expect(await world.here.find('dev')).toEqual([])
  expect(await world.snapshots.local.list(NEVER)).toEqual([])
})

test('does it in an order in which there is one plane at any moment', async () => {
  await using world = await twoPlaces()

  const { steps } = await world.move()

  const there = ['create dev', 'restore dev after 7', 'start dev']
  expect(world.there.calls.filter(isChange)).toEqual(there)
  expect(world.here.calls.filter(isChange)).toEqual(['leave dev', 'remove dev'])
  expect(steps.map(stepText)).toEqual([
    'create "dev" without starting it: driver kubernetes, namespace team, host context work',
    'fence it, so that no client uses it: driver local',
    'move its data there, and compare all keys',
    'start it there',
    'point its context there',
    'remove it from its old place: driver local',
  ])
})

test.for([
  ['where it is', 'here', undefined],
  ['where it goes', 'there', true],
] as const)('changes nothing when a program is missing %s', async ([, place, forRestore]) => {
  await using world = await twoPlaces()
  const missing = new VplaneError('FAILED', 'cannot get etcdutl')
  const ensure = vi.fn<PlaneTools['ensure']>(() => Promise.reject(missing))
  world[place].tools = { ensure }

  expect(await rejectionOf(world.move())).toBe(missing)
  expect(ensure.mock.lastCall?.[0].forRestore).toBe(forRestore)
  expect([world.here, world.there].flatMap(({ calls }) => calls.filter(isChange))).toEqual([])
})

test('keeps it where it was, fenced, when that is wanted', async () => {
  await using world = await twoPlaces()

  await world.move({ keepSource: true })

  const [kept] = await world.here.find('dev')
  const there = world.there.inside(THERE).stored
  expect(kept).toMatchObject({ movingTo: { to: THERE, handedTo: 'kubernetes-1' } })
  expect(there).toMatchObject({ id: 'kubernetes-1', desired: 'running' })
})

test.for([
  ['one with a plugin', false],
  ['one with a certificate', true],
] as const)('makes a context lead there: %s', async ([, embedCredentials]) => {
  await using world = await twoPlaces()
  await connectControlPlane(world, { ...CONNECT, embedCredentials })
  if (embedCredentials) {
    world.contexts.ended = [{ context: 'vplane_dev', plane: { name: 'dev', driver: 'local' } }]
  }

  const { context } = await world.move()

  expect(context).toBe('vplane_dev')
  expect(world.contexts.added).toMatchObject([
    { plane: THERE, makeCurrent: true, user: { kind: embedCredentials ? 'embedded' : 'plugin' } },
  ])
})

test('continues, or is aborted, when the data that arrived differs', async () => {
  await using world = await twoPlaces()
  world.there.moves.fingerprint = () => Promise.resolve({ keys: 1, sha256: 'another' })

  const failure = await rejectionOf(world.move())
  const fenced = world.here.inside({ name: 'dev' }).status()
  const refusal = await rejectionOf(world.here.start(world.source, world.operation))
  const ended = await world.abort()

  expect(failure.message).toContain('the data of "dev" that arrived differs from what left')
  expect(fenced.phase).toBe('Fenced')
  expect(refusal.message).toContain('"dev" is fenced: it is being moved to driver kubernetes')
  expect(ended).toMatchObject({ isAborted: true, leftovers: [] })
  expect(await world.there.find('dev')).toEqual([])
  expect(world.here.inside({ name: 'dev' }).status().phase).toBe('Ready')
  expect(world.here.inside({ name: 'dev' }).api.objects.has(CONFIG_MAP)).toBe(true)
})

test.for<[string, (world: TwoPlaces) => void]>([
  ['the plane was made there', ({ here }) => failOnce(here.moves, 'leave')],
  ['it was fenced', ({ here }) => failOnce(here, 'snapshot')],
  ['its data was brought there', ({ there }) => failOnce(there.moves, 'fingerprint')],
  ['it was handed over', ({ there }) => failOnce(there, 'endpoint')],
  ['it was started there', ({ there }) => failOnce(there, 'start')],
  ['it could be used there', ({ contexts }) => failOnce(contexts, 'add')],
  ['a context led there', ({ contexts }) => failOnce(contexts, 'remove')],
  ['its contexts led there', ({ here }) => failOnce(here, 'remove')],
])('continues a move that was interrupted after %s', async ([, prepare]) => {
  await using world = await twoPlaces()
  await connectControlPlane(world, CONNECT)
  prepare(world)

  await expect(world.move()).rejects.toThrow('cut off')
  await world.move()

  const { api } = world.there.inside(THERE)
  expect(api.objects.has(CONFIG_MAP)).toBe(true)
  expect(world.there.inside(THERE).status().phase).toBe('Ready')
  expect(await world.contexts.planes()).toEqual([THERE])
  expect(await world.here.find('dev')).toEqual([])
})

test('brings its data again when it was handed over, and that was not noted there', async () => {
  await using world = await twoPlaces()
  dieOnceHandedOver(world)

  await expect(world.move()).rejects.toThrow('cut off')
  const { fingerprint } = await world.move()

  expect(fingerprint).toBeDefined()
  expect(world.there.inside(THERE).status().phase).toBe('Ready')
  expect(world.there.inside(THERE).api.objects.has(CONFIG_MAP)).toBe(true)
})

test('moves back, and replaces the data that was kept here', async () => {
  await using world = await twoPlaces()
  await world.move({ keepSource: true })
  const since = '/api/v1/namespaces/default/configmaps/since'
  world.there.inside(THERE).api.put(since, configMap('since'))

  const { isMoved, steps } = await world.move({
    driver: 'kubernetes',
    chooseTarget: () => Promise.resolve({ driver: world.here }),
  })

  expect(isMoved).toBe(true)
  expect(steps.slice(0, 2).map(stepText)).toEqual([
    'remove its data from before an earlier move: driver local',
    'create "dev" without starting it: driver local',
  ])
  expect(world.here.inside({ name: 'dev' }).api.objects.has(since)).toBe(true)
  expect(await world.there.find('dev')).toEqual([])
})

test('keeps the data here when the plane does not exist at its new place any more', async () => {
  await using world = await twoPlaces()
  await world.move({ keepSource: true })
  const [there] = await world.there.find('dev')
  await world.there.remove(there ?? world.source, world.operation)

  const failure = await rejectionOf(world.move())

  expect(failure.message).toContain('"dev" was moved to driver kubernetes, namespace team')
  expect(await world.here.find('dev')).toHaveLength(1)
})

test.for<[string, Partial<MoveOptions>, boolean[], string | undefined]>([
  ['that is only to be said', { isDryRun: true }, [], undefined],
  ['after a no', { isConfirmed: false }, [false], 'ABORTED'],
])('touches nothing in a move %s', async ([, said, answers, code]) => {
  await using world = await twoPlaces({}, answers)

  const failure = await world.move(said).catch((error: unknown) => error)

  expect([world.here.calls, world.there.calls].flat().filter(isChange)).toEqual([])
  expect(Object(failure).code).toBe(code)
})

test('moves nothing when pods have got volumes since it was shown what would be deleted', async () => {
  await using world = await twoPlaces()
  const volume = { name: 'default/late', uid: '1' }
  world.here.pods.volumes = () =>
    Promise.resolve(world.here.calls.includes('leave dev') ? [volume] : [])

  const refusal = await rejectionOf(world.move())
  const again = await world.move({ driver: 'local' })

  expect(refusal).toMatchObject({ code: 'CONFLICT' })
  expect(refusal.message).toContain('it would delete them: default/late')
  expect(again).toMatchObject({ isMoved: true, volumes: ['default/late'] })
})

test('does nothing for a plane at its new place, such as after a late interruption', async () => {
  await using world = await twoPlaces()
  const rotating = world.here.inside({ name: 'dev' }).taken
  rotating.set('ca', 'prepare')

  const result = await world.move({ chooseTarget: () => Promise.resolve({ driver: world.here }) })

  expect(result).toMatchObject({ isMoved: false, steps: [], to: { name: 'dev', driver: 'local' } })
  expect(moveSentence(result)).toBe('"dev" is already at the target: driver local.')
  expect(world.here.calls.filter(isChange)).toEqual([])
})

test('refuses a place where another one is, and another one than before', async () => {
  await using world = await twoPlaces()
  const taken = { driver: world.there, namespace: 'taken' }
  await world.plane('dev', taken)
  const place = (namespace: string) => () =>
    Promise.resolve({ driver: world.there, host: { namespace }, hostContext: 'work' })

  const other = await rejectionOf(world.move({ chooseTarget: place('taken'), driver: 'local' }))
  failOnce(world.here, 'snapshot')
  await expect(world.move({ driver: 'local' })).rejects.toThrow('cut off')
  const elsewhere = await rejectionOf(world.move({ chooseTarget: place('third'), driver: 'local' }))

  expect([other.code, elsewhere.code]).toEqual(['CONTROL_PLANE_EXISTS', 'CONFLICT'])
})

test('lets nothing else begin where it goes', async () => {
  await using world = await twoPlaces()
  failOnce(world.here, 'snapshot')
  await expect(world.move()).rejects.toThrow('cut off')
  const source = {
    what: 'a snapshot',
    from: 'a',
    file: '',
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
  const sure = { force: true, isConfirmed: true, timeoutMs: 2000, signal: NEVER }

  const options = { name: 'dev', namespace: 'team', source, ...sure }
  const restored = await rejectionOf(restoreControlPlane(world, options))

  expect(restored.message).toBe('the move of "dev" to this place was interrupted')
})

test('requires the end of a rotation, also of one that began during the move', async () => {
  await using world = await twoPlaces()
  const inside = world.here.inside({ name: 'dev' })
  inside.taken.set('ca', 'prepare')

  const rotating = await rejectionOf(world.move())
  inside.taken.clear()
  failOnce(world.here.moves, 'leave')
  await expect(world.move()).rejects.toThrow('cut off')
  world.there.keys = () => Promise.resolve({ 'sa.key': 'from before' })
  const rotated = await rejectionOf(world.move({ driver: 'local' }))

  expect(rotating.hints).toEqual(['vplane certs rotate-ca dev --stage complete'])
  expect(rotated.message).toBe('the keys of "dev" changed since the move began')
})

test('refuses to lose volumes of pods, and lists the Services that get other addresses', async () => {
  await using world = await twoPlaces()
  world.here.pods.claims = ['default/a']
  world.here.pods.services = [{ name: 'default/web', address: '10.96.3.4' }]
  const lost = { name: 'default/web', address: '10.96.3.4', why: 'is not in 10.112.0.0/16' }
  world.there.pods.answer = { lost: [lost], doubt: 'you may not look' }

  const refusal = await rejectionOf(world.move())
  const { readdressed, steps, volumes } = await world.move({ withoutVolumes: true })

  expect(refusal.message).toContain('the data on the volumes of its pods: default/a')
  expect(steps.at(-1)).toEqual({
    action: 'delete-source',
    place: 'driver local',
    volumes: ['default/a'],
  })
  expect({ readdressed, volumes }).toEqual({ readdressed: ['default/web'], volumes: ['default/a'] })
  expect(world.ui.notes).toEqual(
    expect.arrayContaining([
      'Services that get another address:',
      '  default/web: 10.96.3.4 is not in 10.112.0.0/16',
      'Whether the others keep theirs is unknown: you may not look.',
    ]),
  )
})

test('continues without the options that the first call had', async () => {
  await using world = await twoPlaces()
  world.here.pods.claims = ['default/a']
  failOnce(world.here, 'snapshot')

  await expect(world.move({ withoutVolumes: true })).rejects.toThrow('cut off')
  await world.move()

  expect(world.there.inside(THERE).status().phase).toBe('Ready')
})

test.for([undefined, new Date('2025-12-31T00:00:00Z')])(
  'leaves a plane paused that was, as it was: idle since %s',
  async (idleSince) => {
    await using world = await twoPlaces()
    const { here, operation, source, there } = world
    const idle = idleSince && { since: idleSince, isStill: () => Promise.resolve(true) }
    await here.pause(source, operation, { idle })
    failOnce(here, 'snapshot')
    await expect(world.move()).rejects.toThrow('cut off')

    const { steps } = await world.move({ driver: 'local' })

    const [plane] = await there.find('dev')
    expect(there.inside(THERE).status().phase).toBe('Paused')
    expect(there.inside(THERE).api.objects.has(CONFIG_MAP)).toBe(true)
    expect(Object(plane).idleSince).toEqual(idleSince)
    expect(steps).toContainEqual({ action: 'pause-there' })
  },
)
