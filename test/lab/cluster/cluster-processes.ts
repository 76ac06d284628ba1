import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { endProcesses, type ProcessIdentity } from '../../../src/shared/processes/end-processes.ts'
import { launchProcess } from '../../../src/shared/processes/launch/launch-process.ts'
import { linuxProcessTable } from '../../../src/shared/processes/linux-process-table.ts'
import {
  isAlive,
  readProcessRecord,
  removeProcessRecord,
  writeProcessRecord,
} from '../../../src/shared/processes/launch/process-record.ts'
import type { ClusterCgroups } from '../machine/cgroups.ts'
import type { ClusterFolder } from './state/cluster-folder.ts'

/** Joins control groups first, so that whatever the program starts is in them, too. */
const JOIN = 'while [ "$1" != -- ]; do echo 0 > "$1"; shift; done; shift; exec "$@"'

const GRACE_MS = 3000

/** What to run. */
export interface LabProcess {
  name: string
  /** The program and its arguments. */
  command: readonly string[]
  /** @default the cluster's */
  workingFolder?: string
  env: Record<string, string>
}

/** The processes of one cluster that are written down. */
export interface ClusterProcesses {
  /** Starts one, unless it runs. */
  start(process: LabProcess): Promise<ProcessIdentity>
  /** Ends one, first by asking. */
  stop(name: string, signal: AbortSignal): Promise<void>
  /** The living process of this name. */
  find(name: string): ProcessIdentity | undefined
}

/** The processes of a cluster, each with a log and a record in the cluster's folder. */
export function clusterProcesses(folder: ClusterFolder, cgroups: ClusterCgroups): ClusterProcesses {
  const table = linuxProcessTable()
  const find = (name: string) => {
    const record = readProcessRecord(folder.recordOf(name))
    return isAlive(record, table) ? record : undefined
  }
  return {
    find,
    start: async ({ command, env, name, workingFolder = folder.root }) => {
      const running = find(name)
      if (running !== undefined) {
        return running
      }
      for (const path of [folder.logOf(name), folder.recordOf(name)]) {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      }
      const record = await launchProcess(
        {
          name,
          binary: '/bin/sh',
          args: ['-c', JOIN, name, ...cgroups.joinFiles(), '--', ...command],
          env,
          workingFolder,
          log: folder.logOf(name),
        },
        table,
      )
      await writeProcessRecord(folder.recordOf(name), record)
      return record
    },
    stop: async (name, signal) => {
      const running = find(name)
      if (running !== undefined) {
        await endProcesses([running], { table, signal, graceMs: GRACE_MS })
      }
      await removeProcessRecord(folder.recordOf(name))
    },
  }
}
