import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import { fileBlobs } from '../../src/backup/blobs/file-blobs.ts'
import { snapshotStore } from '../../src/backup/snapshot-store.ts'
import type { SnapshotStore } from '../../src/control-plane/driver/snapshot.ts'
import { temporaryFolder } from '../support/machine/temporary-folder.ts'
import { rejectionOf } from '../support/thrown-by.ts'

const NEVER = new AbortController().signal
const warn = (text: string) => expect.fail(text)
const INFO = {
  plane: 'dev',
  driver: 'kubernetes',
  kind: 'snapshot',
  namespace: 'team-a',
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  revision: 7,
  sizeBytes: 3,
} as const

let folder: string
let store: SnapshotStore

beforeEach(async () => {
  const temporary = await temporaryFolder()
  folder = temporary.path
  store = snapshotStore(fileBlobs(folder), { warn })
  return temporary[Symbol.asyncDispose]
})

test('stores snapshots for their owner alone, until they are deleted', async () => {
  const { id = '', location } = await store.put(INFO, of('abc'), NEVER)
  const listed = await store.list(NEVER)
  const bytes = await buffer(await store.read(id, NEVER))
  const { mode } = await stat(location)
  await store.delete(id, NEVER)

  expect(id).toMatch(/^dev-20260102-030405-[0-9a-f]{4}$/)
  expect(location).toBe(join(folder, `${id}.data`))
  expect(listed).toEqual([{ ...INFO, id }])
  expect(bytes.toString()).toBe('abc')
  expect(mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual([])
})

test('lists the oldest first', async () => {
  for (const day of [3, 1, 2]) {
    const createdAt = new Date(`2026-01-0${day}T00:00:00Z`)
    await store.put({ ...INFO, createdAt }, of('x'), NEVER)
  }

  const days = (await store.list(NEVER)).map(({ createdAt }) => createdAt.getUTCDate())
  expect(days).toEqual([1, 2, 3])
})

test('lists those of one plane, and reads the records of no others', async () => {
  const { id } = await store.put(INFO, of('x'), NEVER)
  await store.put({ ...INFO, plane: 'dev-2' }, of('x'), NEVER)
  const other = await store.put({ ...INFO, plane: 'other' }, of('x'), NEVER)
  // The store of this test fails on a warning.
  await writeFile(join(folder, `${other.id}.json`), 'damaged')

  expect(await store.list(NEVER, 'dev')).toEqual([{ ...INFO, id }])
})

test('leaves nothing of an interrupted snapshot', async () => {
  async function* broken() {
    yield Buffer.from('abc')
    throw new Error('broken off')
  }

  await expect(store.put(INFO, broken(), NEVER)).rejects.toThrow('broken off')

  expect(await readdir(folder)).toEqual([])
})

test('a deletion removes what others left that were interrupted long ago', async () => {
  const now = () => new Date('2026-01-09T00:00:00Z')
  const store = snapshotStore(fileBlobs(folder), { now, warn })
  const { id = '' } = await store.put(INFO, of('abc'), NEVER)
  const { id: kept = '' } = await store.put(INFO, of('abc'), NEVER)
  const young = 'dev-20260108-000001-0000.data'
  const others = ['mine.data', 'dev-20269999-000000-0000.data']
  const left = ['dev-20260107-000000-0000.data', '.dev-20260107-000000-0001.data.12345678.part']
  for (const name of [young, ...others, ...left]) {
    await writeFile(join(folder, name), '')
  }

  await store.delete(id, NEVER)

  const found = await readdir(folder)
  expect(found.toSorted()).toEqual([`${kept}.data`, `${kept}.json`, young, ...others].toSorted())
})

test.for(['dev-20260102-030405-0000', '../plane', 'dev.db'])('has no %s', async (id) => {
  expect((await rejectionOf(store.read(id, NEVER))).code).toBe('NOT_FOUND')
  expect((await rejectionOf(store.delete(id, NEVER))).code).toBe('NOT_FOUND')
})

const NEWER = JSON.stringify({ formatVersion: 99, writtenBy: '9.0.0' })

test.for([
  ['of a newer vplane', NEWER, 'vplane 9.0.0 or later is needed'],
  ['that is damaged', '{"formatVersion":1}', 'is damaged'],
  ['that is cut off', '{', 'is damaged'],
  ['that is empty', '', 'is damaged'],
] as const)('names a record %s, can delete it, and lists others', async ([, record, reason]) => {
  const warnings: string[] = []
  const store = snapshotStore(fileBlobs(folder), { warn: (text) => warnings.push(text) })
  const { id } = await store.put(INFO, of('abc'), NEVER)
  const unreadable = 'dev-20260102-030405-0000'
  await writeFile(join(folder, `${unreadable}.json`), record)

  const listed = await store.list(NEVER)
  const failure = await rejectionOf(store.find(unreadable, NEVER))
  await store.delete(unreadable, NEVER)

  expect(listed.map((snapshot) => snapshot.id)).toEqual([id])
  expect(warnings).toEqual([expect.stringContaining(reason)])
  expect(warnings[0]).toContain(`${unreadable}.json`)
  expect(failure.message).toContain(reason)
  expect((await readdir(folder)).toSorted()).toEqual([`${id}.data`, `${id}.json`])
})

async function* of(text: string): AsyncGenerator<Buffer, void, void> {
  yield Buffer.from(text)
}
