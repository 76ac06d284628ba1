import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { readSnapshot } from '../../../src/etcd/data/read-snapshot.ts'
import { snapshotRevision } from '../../../src/etcd/data/snapshot-revision.ts'
import { temporaryFolder } from '../../support/machine/temporary-folder.ts'
import { etcdProcesses } from '../etcd-processes.ts'

test('reads the latest revision in a snapshot, of few keys and of pages on several levels', async () => {
  const signal = AbortSignal.timeout(120_000)
  await using folder = await temporaryFolder()
  await using etcd = await etcdProcesses()
  await etcd.start(0, [0], 'new')
  await expect.poll(() => etcd.put('first')).toBe(true)
  const path = join(folder.path, 'snapshot.db')
  const saved = async () => {
    const { bytes, revision } = await readSnapshot(etcd.cluster.at(0), signal)
    await pipeline(bytes, createWriteStream(path))
    return { revision, found: await snapshotRevision(path) }
  }

  const small = await saved()
  for (let batch = 0; batch < 60; batch += 1) {
    const put = (index: number) => expect.poll(() => etcd.put(`key ${batch} ${index}`)).toBe(true)
    await Promise.all(Array.from({ length: 10 }, (_, index) => put(index)))
  }
  const large = await saved()

  expect(small.revision).toBeGreaterThan(1)
  expect(small.found).toBe(small.revision)
  expect(large.revision).toBeGreaterThan(500)
  expect(large.found).toBe(large.revision)
})
