import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createSnapshot } from '../../../../src/control-plane/use-cases/snapshot/create-snapshot.ts'
import { etcdSnapshot, planeData } from '../../../support/data/etcd-snapshot.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { worldWithSnapshots } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const NEVER = new AbortController().signal
const DEV = { name: 'dev', signal: NEVER }

test('stores a snapshot of a plane, and returns its description', async () => {
  const { store, world } = await worldWithSnapshots()

  const taken = await createSnapshot(world, DEV)

  const { location, ...info } = taken
  expect(info).toMatchObject({ plane: 'dev', driver: 'local', revision: 7, createdAt: world.time })
  expect(await store.snapshots.local.list(NEVER)).toEqual([info])
  expect(await readFile(location)).toEqual(snapshotOf(world))
  expect(world.ui.steps).toEqual(['Taking a snapshot of "dev"'])
})

test('names the volumes of pods that a snapshot does not contain', async () => {
  const { store, world } = await worldWithSnapshots()
  world.driver.pods.claims = ['default/a', 'default/b']

  const { id = '', volumes } = await createSnapshot(world, DEV)

  expect(volumes).toMatchObject([{ name: 'default/a' }, { name: 'default/b' }])
  expect(await store.snapshots.local.find(id, NEVER)).toMatchObject({ volumes })
  expect(world.ui.notes).toEqual([
    'It does not contain the data on volumes of pods: default/a, default/b',
  ])
})

test('writes a snapshot to a file, which no store knows', async () => {
  const { store, world } = await worldWithSnapshots()
  const output = join(store.folder, 'dev.db')

  const taken = await createSnapshot(world, { ...DEV, output })

  expect(taken).toMatchObject({ location: output })
  expect(taken.id).toBeUndefined()
  expect(await readFile(output)).toEqual(snapshotOf(world))
  expect(await store.snapshots.local.list(NEVER)).toEqual([])
})

test('gives back the data of a snapshot that cannot be written', async () => {
  const { store, world } = await worldWithSnapshots()
  const folder = join(store.folder, 'gone')
  await mkdir(folder)
  const data = planeData(snapshotOf(world), 7)
  vi.spyOn(world.driver, 'snapshot').mockImplementation(async () => {
    await rm(folder, { recursive: true })
    return data
  })

  const error = await rejectionOf(createSnapshot(world, { ...DEV, output: join(folder, 'dev.db') }))

  expect(error.message).toContain('cannot write')
  expect(data.bytes.destroyed).toBe(true)
})

test('overwrites a file only if it is told to, and otherwise asks for nothing', async () => {
  const { store, world } = await worldWithSnapshots()
  const output = join(store.folder, 'dev.db')
  await writeFile(output, 'precious')
  const passphrase = () => expect.fail('nobody is to be asked')

  const error = await rejectionOf(createSnapshot(world, { ...DEV, output, passphrase }))
  const kept = await readFile(output, 'utf8')
  await createSnapshot(world, { ...DEV, output, force: true })

  expect(error).toMatchObject({ code: 'CONFLICT', message: `"${output}" exists` })
  expect(kept).toBe('precious')
  expect(await readFile(output)).toEqual(snapshotOf(world))
})

test('keeps nothing that is not what etcd sent', async () => {
  const { store, world } = await worldWithSnapshots()
  const wrong = Buffer.concat([etcdSnapshot('x').subarray(0, -1), Buffer.of(0)])
  world.driver.wrongData.set('dev', wrong)
  const output = join(store.folder, 'dev.db')

  const failure = await rejectionOf(createSnapshot(world, { ...DEV, output }))

  expect(failure.message).toContain('the snapshot of "dev" is damaged')
  expect(existsSync(output)).toBe(false)
})

function snapshotOf(world: FakeComposition): Buffer {
  return etcdSnapshot(world.driver.inside({ name: 'dev' }).api.save())
}
