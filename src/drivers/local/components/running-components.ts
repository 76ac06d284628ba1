import { basename } from 'node:path'
import { ETCD_FILE } from '../../../control-plane/components/arguments/layout.ts'
import { COMPONENT_NAMES, type ComponentName } from '../../../control-plane/plane/plane.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { ProcessIdentity } from '../../../shared/processes/end-processes.ts'
import {
  isAlive,
  type ProcessRecord,
  readProcessRecord,
} from '../../../shared/processes/launch/process-record.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'

/** The living processes of a plane, by component, as written down. */
export function runningComponents(
  folder: PlaneFolder,
  table: ProcessTable,
): Map<ComponentName, ProcessRecord> {
  return new Map(
    COMPONENT_NAMES.flatMap((name) => {
      const record = readProcessRecord(folder.processOf(name))
      return isAlive(record, table) ? [[name, record] as const] : []
    }),
  )
}

/**
 * Every living process of a plane, written down or not: a vplane that was killed between starting a process and writing
 * it down leaves one that only its command tells. Other programs that the user gave a file of the plane are none of them.
 */
export function findPlaneProcesses(folder: PlaneFolder, table: ProcessTable): ProcessIdentity[] {
  const written = [...runningComponents(folder, table).values()].map((record) => record.processId)
  // What is written down in the copy of a folder is of another plane: so the command is looked at too.
  const isOfPlane = (words: readonly string[], processId: number) =>
    written.includes(processId)
      ? words.some((word) => word.startsWith('--') && word.includes(`=${folder.root}/`))
      : COMPONENT_NAMES.some((name) => isCommandOf(words, { name, flag: ownFlag(folder, name) }))
  return table.findByCommand(isOfPlane).flatMap((processId) => {
    const startTime = table.startTimeOf(processId)
    return startTime === undefined ? [] : [{ processId, startTime }]
  })
}

/**
 * Tells the command of a component by its own name and the flag. The file that it was started from may have been replaced
 * since, and may be a script: then an interpreter is in front of it.
 */
function isCommandOf(
  words: readonly string[],
  { flag, name }: { name: ComponentName; flag: string },
): boolean {
  const program = words[words.findIndex((word) => word.startsWith('--')) - 1]
  return program !== undefined && basename(program) === name && words.includes(flag)
}

/** A flag that every vplane has given this component, and no user can change. */
function ownFlag({ configuration, pki }: PlaneFolder, name: ComponentName): string {
  const flags: Record<ComponentName, string> = {
    etcd: `--config-file=${configuration}/${ETCD_FILE}`,
    'kube-apiserver': `--tls-cert-file=${pki}/apiserver.crt`,
    'kube-controller-manager': `--kubeconfig=${configuration}/controller-manager.kubeconfig`,
  }
  return flags[name]
}
