import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { Access } from '../../../src/control-plane/use-cases/access/access.ts'
import { accessFiles, readAccessFile } from '../../../src/kubeconfig/plugin/access-file.ts'
import { packageVersion } from '../../../src/shared/package-root.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const access: Access = {
  server: 'https://127.0.0.1:20443',
  certificateAuthority: 'CA',
  certificate: 'CERTIFICATE',
  key: 'KEY',
  expiresAt: new Date('2026-01-02T03:04:05.678Z'),
}

test('keeps an access for its owner alone, until it is removed', async () => {
  const { path, store } = await temporaryStore()

  await store.write(plane('dev'), access)

  expect(await store.read(plane('dev'))).toMatchObject(access)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const origin = { formatVersion: 1, writtenBy: packageVersion() }
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject(origin)
  await store.remove(plane('dev'))
  await store.remove(plane('dev'))
  expect(await store.read(plane('dev'))).toBeUndefined()
})

test('does not use the access of a deleted plane for another plane of the same name', async () => {
  const { store } = await temporaryStore()

  await store.write(plane('dev', { id: 'one' }), access)

  expect(await store.read(plane('dev', { id: 'another' }))).toBeUndefined()
})

test.for([
  '',
  '{"formatVersion":1,"planeId":"an',
  'null',
  JSON.stringify({ ...access, formatVersion: 1 }),
  JSON.stringify({ ...access, formatVersion: 2, planeId: 'an id' }),
  JSON.stringify({ ...access, formatVersion: 1, planeId: 'an id', key: 7 }),
  JSON.stringify({ ...access, formatVersion: 1, planeId: 'an id', expiresAt: 'tomorrow' }),
  JSON.stringify({ ...access, formatVersion: 1, planeId: 'an id', server: 'here' }),
])('takes a file with %j for none: the access can be made again', async (text) => {
  const { path, store } = await temporaryStore()
  await writeFile(path, text)

  expect(await readAccessFile(path)).toBeUndefined()
  expect(await store.read(plane('dev'))).toBeUndefined()
})

test('does not create the folder of a deleted plane again', async () => {
  const { path, store } = await temporaryStore()
  await rm(join(path, '..'), { recursive: true })

  const error = await rejectionOf(store.write(plane('dev'), access))

  const message = '"dev" was deleted meanwhile'
  expect(error).toMatchObject({ code: 'CONTROL_PLANE_NOT_FOUND', message })
  await expect(stat(join(path, '..'))).rejects.toThrow('ENOENT')
})

test('creates the folder for planes of host clusters', async () => {
  const { path, store } = await temporaryStore()
  await rm(join(path, '..'), { recursive: true })

  await store.write(plane('dev', { driver: 'kubernetes', namespace: 'team' }), access)

  expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700)
})

async function temporaryStore() {
  const folder = join(await temporaryFolder(), 'dev')
  await mkdir(folder)
  const path = join(folder, 'access.json')
  return { path, store: accessFiles(() => path) }
}

function plane(name: string, fields: Partial<Plane> = {}): Plane {
  return {
    name,
    driver: 'local',
    id: 'an id',
    createdAt: new Date(0),
    writtenBy: '0.1.0',
    userSpec: {},
    spec: resolveSpec({}),
    desired: 'running',
    ...fields,
  }
}
