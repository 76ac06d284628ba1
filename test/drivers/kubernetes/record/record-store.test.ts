import { expect, test } from 'vitest'
import { objectPath } from '../../../../src/shared/kube/collections.ts'
import { RECORD_TYPE } from '../../../../src/drivers/kubernetes/context/object-names.ts'
import {
  addRecord,
  isReadableRecord,
  readRecord,
  replaceRecord,
  storedRecordOf,
} from '../../../../src/drivers/kubernetes/record/record-store.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { messageOf } from '../../../../src/shared/errors.ts'
import { packageVersion } from '../../../../src/shared/package-root.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { objectOf, putObject } from '../fake-cluster.ts'
import { planeRecordOf } from '../plane-record-of.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const PATH = objectPath('secrets', { name: 'vplane-dev-record', namespace: 'team-a' })
const { signal } = new AbortController()

test('returns undefined without a Secret', async () => {
  expect(await readRecord(new MemoryHostApi(), PLACE, { signal })).toBeUndefined()
})

test('reads the added record, stamped with its version, from a labelled Secret of its type', async () => {
  const api = new MemoryHostApi()
  const record = planeRecordOf('dev', { writtenBy: 'nobody' })

  const added = await addRecord(api, PLACE, { record, signal })

  expect(added.record).toEqual({ ...record, writtenBy: packageVersion(), madeBy: 'nobody' })
  expect(await readRecord(api, PLACE, { signal })).toEqual(added)
  expect(api.objects.get(PATH)).toMatchObject({
    type: RECORD_TYPE,
    metadata: { labels: { 'app.kubernetes.io/managed-by': 'vplane', 'vplane.dev/name': 'dev' } },
  })
})

test('gives the Secret the labels of the plane, which never replace those of vplane', async () => {
  const api = new MemoryHostApi()
  const own = { 'app.kubernetes.io/managed-by': 'vplane', 'vplane.dev/name': 'dev' }
  const labels = { team: 'shop', 'vplane.dev/name': 'prod' }
  const added = await addRecord(api, PLACE, { record: planeRecordOf('dev'), signal })
  const labelled = planeRecordOf('dev', { userSpec: { labels } })

  expect(api.objects.get(PATH)?.metadata.labels).toEqual(own)
  const replaced = await replaceRecord(api, added, { record: labelled, signal })
  expect(api.objects.get(PATH)?.metadata.labels).toEqual({ team: 'shop', ...own })
  await replaceRecord(api, replaced, { record: planeRecordOf('dev'), signal })
  expect(api.objects.get(PATH)?.metadata.labels).toEqual(own)
})

test('adds no second record', async () => {
  const api = new MemoryHostApi()
  const record = planeRecordOf('dev')
  await addRecord(api, PLACE, { record, signal })

  const again = await rejectionOf(addRecord(api, PLACE, { record, signal }))

  expect(again.code).toBe('CONFLICT')
})

test('replaces the record that was read, and no newer one', async () => {
  const api = new MemoryHostApi()
  const first = await addRecord(api, PLACE, { record: planeRecordOf('dev'), signal })

  const paused = planeRecordOf('dev', { desired: 'paused' })
  const second = await replaceRecord(api, first, { record: paused, signal })
  const late = await rejectionOf(replaceRecord(api, first, { record: paused, signal }))

  expect(second.resourceVersion).not.toBe(first.resourceVersion)
  expect(await readRecord(api, PLACE, { signal })).toEqual(second)
  expect(late.code).toBe('CONFLICT')
})

test('replaces no deleted record, nor that of a plane that was created again', async () => {
  const api = new MemoryHostApi()
  const record = planeRecordOf('dev')
  const first = await addRecord(api, PLACE, { record, signal })
  await api.delete(PATH)

  const gone = await rejectionOf(replaceRecord(api, first, { record, signal }))
  await addRecord(api, PLACE, { record, signal })
  const other = await rejectionOf(replaceRecord(api, first, { record, signal }))

  expect([gone.code, other.code]).toEqual(['NOT_FOUND', 'CONFLICT'])
})

test('refuses a Secret of its name that vplane did not create', async () => {
  const api = new MemoryHostApi()
  putObject(api, ['Secret', { name: 'vplane-dev-record' }], { type: 'Opaque' })

  const error = await rejectionOf(readRecord(api, PLACE, { signal }))

  expect(error).toMatchObject({
    code: 'CONFLICT',
    message: 'vplane did not create the Secret "vplane-dev-record" in namespace "team-a"',
  })
})

const base64 = (text: string) => Buffer.from(text).toString('base64')
const OTHER = { record: base64(JSON.stringify(planeRecordOf('other'))) }

test.for([
  [undefined, 'is damaged'],
  [{}, 'is damaged'],
  [{ record: 7 }, 'is damaged'],
  [{ record: base64('{"formatVersion":1,') }, 'is damaged'],
  [OTHER, 'is of a plane named "other", not "dev"'],
] as const)('returns why a record with the data %j cannot be read', async ([data, reason]) => {
  const api = new MemoryHostApi()
  await addRecord(api, PLACE, { record: planeRecordOf('dev'), signal })
  await api.patch(PATH, { data: null }, { type: 'merge' })
  await api.patch(PATH, data === undefined ? {} : { data }, { type: 'merge' })

  const stored = await readRecord(api, PLACE, { signal })

  expect(stored).toMatchObject({ name: 'dev', namespace: 'team-a' })
  expect(stored && isReadableRecord(stored)).toBe(false)
  expect(messageOf(stored?.record)).toContain(reason)
})

test('treats only Secrets of its type and labels as records', () => {
  const labels = { 'app.kubernetes.io/managed-by': 'vplane', 'vplane.dev/name': 'dev' }
  const name = 'vplane-dev-record'
  const nameOf = (metadata: KubeObject['metadata'], type = RECORD_TYPE) =>
    storedRecordOf({ ...objectOf('Secret', { ...metadata, namespace: 'team-a' }), type })?.name

  expect(nameOf({ name, labels })).toBe('dev')
  expect(nameOf({ name, labels }, 'Opaque')).toBeUndefined()
  expect(nameOf({ name })).toBeUndefined()
  expect(nameOf({ name: 'copy', labels })).toBeUndefined()
})
