import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasErrorCode } from '../../../../src/shared/errors.ts'
import { writeFile } from '../../../../src/shared/files/write-file.ts'

/** A cluster of the lab as it is written down. */
export interface ClusterRecord {
  formatVersion: 1
  name: string
  /** Of its control groups: another lab of the machine may have a cluster of the same name. */
  group: string
  /** Tells its addresses from those of other clusters. */
  index: number
  nodeCount: number
  /** Kubernetes, without a `v`. */
  version: string
  createdAt: string
  /** The process that the cluster ends with; a cluster that someone made by hand has none. */
  owner?: { processId: number; startTime: string; bootId: string }
}

const FILE = 'cluster.json'

/** Writes a cluster down, in its folder. */
export async function writeClusterRecord(folder: string, record: ClusterRecord): Promise<void> {
  await writeFile(join(folder, FILE), `${JSON.stringify(record, null, 2)}\n`)
}

/** The cluster in a folder; undefined when there is none. */
export function readClusterRecord(folder: string): ClusterRecord | undefined {
  try {
    const value: ClusterRecord = JSON.parse(readFileSync(join(folder, FILE), 'utf8'))
    return value
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || error instanceof SyntaxError) {
      return undefined
    }
    throw error
  }
}

/** All clusters of the lab, by name. */
export function listClusterRecords(clusters: string): ClusterRecord[] {
  try {
    return readdirSync(clusters)
      .toSorted()
      .flatMap((name) => readClusterRecord(join(clusters, name)) ?? [])
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) {
      return []
    }
    throw error
  }
}
