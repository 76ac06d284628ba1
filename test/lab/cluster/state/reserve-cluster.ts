import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { VplaneError } from '../../../../src/shared/errors.ts'
import { acquireFileLock } from '../../../../src/shared/files/file-lock.ts'
import type { LabContext } from '../../lab-context.ts'
import { addressPlan, MAX_CLUSTERS } from './address-plan.ts'
import { clusterFolder } from './cluster-folder.ts'
import {
  type ClusterRecord,
  listClusterRecords,
  readClusterRecord,
  writeClusterRecord,
} from './cluster-record.ts'

const LOCK_TIMEOUT_MS = 30_000

/** What someone wants a cluster to be. */
export interface ClusterRequest {
  name: string
  nodeCount: number
  /** Kubernetes, without a `v`. */
  version: string
  /** Kubernetes versions of planes whose images are there from the start. */
  planeVersions: readonly string[]
  owner?: ClusterRecord['owner']
}

/**
 * The record of a cluster, made with addresses that nobody has when there is none yet.
 *
 * @throws {VplaneError} `USAGE` when the name is none, `CONFLICT` when the cluster is there and is another one.
 */
export async function reserveCluster(
  request: ClusterRequest,
  { folder, signal }: LabContext,
): Promise<ClusterRecord> {
  const { name, nodeCount, owner, version } = request
  if (!/^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$/.test(name)) {
    throw new VplaneError('USAGE', `"${name}" is no name for a cluster of the lab`, {
      hints: ['small letters, digits and dashes, at most 20: h1'],
    })
  }
  await using _ = await acquireFileLock(join(folder.locks, 'clusters.lock'), {
    what: 'another lab that chooses addresses',
    timeoutMs: LOCK_TIMEOUT_MS,
    signal,
  })
  const { root } = clusterFolder(folder.clusters, name)
  const known = readClusterRecord(root)
  if (known !== undefined) {
    if (known.nodeCount !== nodeCount || known.version !== version) {
      throw new VplaneError(
        'CONFLICT',
        `"${name}" is there with ${known.nodeCount} nodes and Kubernetes ${known.version}`,
        { hints: [`npm run lab -- down --name ${name}`] },
      )
    }
    return known
  }
  const record: ClusterRecord = {
    formatVersion: 1,
    name,
    group: `${name}-${randomBytes(4).toString('hex')}`,
    index: freeIndex(listClusterRecords(folder.clusters)),
    nodeCount,
    version,
    createdAt: new Date().toISOString(),
    ...(owner === undefined ? {} : { owner }),
  }
  addressPlan(name, record.index, nodeCount)
  await mkdir(root, { recursive: true, mode: 0o700 })
  await writeClusterRecord(root, record)
  return record
}

/** The first whose addresses neither a cluster of this lab nor anybody else on the machine has. */
function freeIndex(records: readonly ClusterRecord[]): number {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  const indexes = Array.from({ length: MAX_CLUSTERS }, (_, index) => index)
  const free = indexes.find((index) => {
    const network = addressPlan('any', index, 1).machineAddress.replace(/\d+$/, '')
    return (
      records.every((record) => record.index !== index) &&
      addresses.every(({ address }) => !address.startsWith(network))
    )
  })
  if (free === undefined) {
    throw new VplaneError('FAILED', 'all addresses of the lab are taken', {
      hints: ['npm run lab -- down --all'],
    })
  }
  return free
}
