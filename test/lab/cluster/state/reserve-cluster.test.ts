import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentUi } from '../../../../src/shared/ui.ts'
import type { LabContext } from '../../lab-context.ts'
import { labFolder } from '../../lab-folder.ts'
import { clusterFolder } from './cluster-folder.ts'
import { listClusterRecords, readClusterRecord } from './cluster-record.ts'
import { type ClusterRequest, reserveCluster } from './reserve-cluster.ts'

const REQUEST: ClusterRequest = { name: 'one', nodeCount: 1, version: '1.36.3', planeVersions: [] }

test('gives clusters that are made at once different addresses', async () => {
  await using lab = await makeLab()
  const names = ['one', 'two', 'three']

  const records = await Promise.all(
    names.map((name) => reserveCluster({ ...REQUEST, name }, lab.context)),
  )

  expect(new Set(records.map(({ index }) => index)).size).toBe(3)
  expect(listClusterRecords(lab.context.folder.clusters)).toHaveLength(3)
})

test('gives back the cluster that is there, and refuses another one of its name', async () => {
  await using lab = await makeLab()
  const first = await reserveCluster(REQUEST, lab.context)

  const again = await reserveCluster(REQUEST, lab.context)
  const other = reserveCluster({ ...REQUEST, nodeCount: 2 }, lab.context)

  expect(again).toEqual(first)
  await expect(other).rejects.toMatchObject({
    code: 'CONFLICT',
    message: '"one" is there with 1 nodes and Kubernetes 1.36.3',
  })
})

test.for(['', 'One', '../up', 'a'.repeat(21), '1st', 'end-'])(
  'refuses the name "%s"',
  async (name) => {
    await using lab = await makeLab()

    await expect(reserveCluster({ ...REQUEST, name }, lab.context)).rejects.toMatchObject({
      code: 'USAGE',
    })
  },
)

test('writes nothing down when there cannot be so many nodes', async () => {
  await using lab = await makeLab()
  const { clusters } = lab.context.folder

  await expect(reserveCluster({ ...REQUEST, nodeCount: 99 }, lab.context)).rejects.toThrow(/nodes/)

  expect(readClusterRecord(clusterFolder(clusters, 'one').root)).toBeUndefined()
})

async function makeLab() {
  const place = await mkdtempDisposable(join(tmpdir(), 'lab-clusters-'))
  const context: LabContext = {
    folder: labFolder(place.path),
    environment: {},
    ui: silentUi,
    signal: new AbortController().signal,
  }
  return { context, [Symbol.asyncDispose]: () => place.remove() }
}
