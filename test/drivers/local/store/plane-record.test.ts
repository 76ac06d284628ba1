import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  parsePlaneRecord,
  readPlaneRecord,
  toPlane,
  writePlaneRecord,
} from '../../../../src/drivers/local/store/plane-record.ts'
import { packageVersion } from '../../../../src/shared/package-root.ts'
import { thrownBy } from '../../../support/thrown-by.ts'
import { temporaryFolder } from '../../../support/machine/temporary-folder.ts'
import { planeRecordOf } from '../plane-record-of.ts'

const GOLDEN = join(import.meta.dirname, '../fixtures/plane-v1.json')

test('reads the first format', async () => {
  const text = await readFile(GOLDEN, 'utf8')

  const record = parsePlaneRecord(text, GOLDEN)

  expect(record).toEqual(JSON.parse(text))
  expect(toPlane(record)).toMatchObject({
    driver: 'local',
    name: 'golden',
    id: '0b7a3c1e-6f0e-4a57-9a0b-0d7c9f4c2a11',
    createdAt: new Date('2026-01-02T03:04:05.678Z'),
    writtenBy: '0.1.0',
    desired: 'paused',
    userSpec: { version: '1.36' },
    spec: { version: '1.36.3', apiGroups: 'all' },
  })
})

test('writes what it reads with its version, readable only for its owner', async () => {
  await using place = await planeFolderNamed('dev')
  const record = planeRecordOf('dev', { writtenBy: 'nobody', binDir: '/opt/bin' })

  const written = await writePlaneRecord(place.path, record)

  expect(written).toEqual({ ...record, writtenBy: packageVersion(), madeBy: 'nobody' })
  expect(readPlaneRecord(place.path)).toEqual(written)
  expect((await stat(place.path)).mode & 0o777).toBe(0o600)
})

test('reads nothing without a file', async () => {
  await using place = await planeFolderNamed('dev')

  expect(readPlaneRecord(place.path)).toBeUndefined()
  expect(readPlaneRecord(join(GOLDEN, 'plane.json'))).toBeUndefined()
})

test('names the version of vplane that a newer format needs', async () => {
  const newer = { ...planeRecordOf('dev'), formatVersion: 2, writtenBy: '9.8.7', more: true }

  expect(() => parsePlaneRecord(JSON.stringify(newer), 'plane.json')).toThrow(
    expect.objectContaining({
      code: 'FAILED',
      message: 'plane.json was written in a newer format: vplane 9.8.7 or later is needed',
      hints: ['npm install --global vplane@9.8.7'],
    }),
  )
})

const DAMAGED = ['', '{"formatVersion":1,"name":"de', 'null', '[]', '"plane"', '42', '{}']

test.for(DAMAGED)('says that a file with %j is damaged', (text) => {
  const message = expect.stringMatching(/^\/x\/plane.json is damaged: /)

  expect(() => parsePlaneRecord(text, '/x/plane.json')).toThrow(
    expect.objectContaining({ code: 'FAILED', message }),
  )
})

test.for([
  ['name', 7],
  ['id', undefined],
  ['createdAt', 'yesterday, I think'],
  ['desired', 'asleep'],
  ['isBootstrapped', 'yes'],
  ['userSpec', null],
  ['spec', null],
  ['spec', { version: '1.36.3' }],
  ['spec', { ...planeRecordOf('dev').spec, etcd: null }],
  ['ports', { etcdClient: 1, etcdPeer: 2, apiServer: 3 }],
  ['ports', { ...planeRecordOf('dev').ports, apiServer: 65_536 }],
  ['ports', { ...planeRecordOf('dev').ports, apiServer: '6443' }],
  ['owner', { processId: '1' }],
  ['binDir', ['/bin']],
] as const)('rejects a record whose %s is %j', ([field, value]) => {
  const record = { ...planeRecordOf('dev'), [field]: value }

  expect(() => parsePlaneRecord(JSON.stringify(record), 'plane.json')).toThrow(
    'plane.json is damaged: fields are missing or of the wrong type',
  )
})

test('refuses a record that was copied from the folder of another plane', async () => {
  await using place = await planeFolderNamed('copy')
  await writeFile(place.path, JSON.stringify(planeRecordOf('dev')))

  expect(thrownBy(() => readPlaneRecord(place.path))).toMatchObject({
    code: 'FAILED',
    message: `${place.path} is of a plane named "dev", not "copy"`,
  })
})

test('reports why a record cannot be read', async () => {
  await using place = await planeFolderNamed('dev')
  await mkdir(place.path)

  expect(thrownBy(() => readPlaneRecord(place.path))).toMatchObject({
    code: 'FAILED',
    message: `cannot read "${place.path}": it is a folder`,
  })
})

async function planeFolderNamed(name: string) {
  const folder = await temporaryFolder()
  await mkdir(join(folder.path, name))
  return { ...folder, path: join(folder.path, name, 'plane.json') }
}
