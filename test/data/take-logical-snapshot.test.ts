import { readdir } from 'node:fs/promises'
import { beforeEach, expect, test, vi } from 'vitest'
import { verifiedSnapshot } from '../../src/backup/verify-snapshot.ts'
import { takeLogicalSnapshot } from '../../src/data/take-logical-snapshot.ts'
import { fakeStore } from '../etcd/fake-store.ts'
import { resolveSpec } from '../../src/control-plane/spec/resolve-spec.ts'
import { temporaryFolder } from '../support/machine/temporary-folder.ts'

const { signal } = new AbortController()

/** Where a process has its temporary files. */
let folder: string

beforeEach(async () => {
  const temporary = await temporaryFolder()
  folder = temporary.path
  vi.stubEnv('TMPDIR', folder)
  return temporary[Symbol.asyncDispose]
})

test('gives the keys of a plane, and leaves no file behind', async () => {
  let bytes: Buffer[]
  let sizeBytes: number
  {
    await using data = await takenData()
    bytes = await Array.fromAsync(verifiedSnapshot(data.bytes, 'the snapshot'))
    sizeBytes = data.sizeBytes
  }

  expect(Buffer.concat(bytes)).toHaveLength(sizeBytes)
  expect(await readdir(folder)).toEqual([])
})

test('leaves no file behind when its bytes are never read', async () => {
  const data = await takenData()
  const during = await readdir(folder)

  await data[Symbol.asyncDispose]()

  expect(during).toHaveLength(1)
  expect(await readdir(folder)).toEqual([])
})

test('leaves no file behind when its reader stops early', async () => {
  {
    await using data = await takenData()
    for await (const _ of verifiedSnapshot(data.bytes, 'the snapshot')) {
      break
    }
  }

  expect(await readdir(folder)).toEqual([])
})

/** Three MiB of it. */
async function takenData() {
  const keys = ['/registry/a', '/registry/b', '/registry/c']
  const { connection } = await fakeStore({ keys, valueBytes: () => 1024 ** 2 })
  return await takeLogicalSnapshot(connection, { spec: resolveSpec({}, 'local') }, signal)
}
