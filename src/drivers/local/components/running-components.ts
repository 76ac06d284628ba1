import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { KINE_OWN_FLAG } from '../../../control-plane/components/arguments/kine-arguments.ts'
import { ETCD_FILE } from '../../../control-plane/components/arguments/layout.ts'
import {
  COMPONENT_NAMES,
  SERVING_NAMES,
  type ServingName,
} from '../../../control-plane/plane/plane.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import { endProcesses, type ProcessIdentity } from '../../../shared/processes/end-processes.ts'
import {
  isAlive,
  type ProcessRecord,
  readProcessRecord,
} from '../../../shared/processes/launch/process-record.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'

/** The recorded processes of a plane that are alive, by component: all, or those of some. */
export function runningComponents(
  folder: PlaneFolder,
  table: ProcessTable,
  names: readonly ServingName[] = SERVING_NAMES,
): Map<ServingName, ProcessRecord> {
  return new Map(
    names.flatMap((name) => {
      const record = readProcessRecord(folder.processOf(name))
      return isAlive(record, table) ? [[name, record] as const] : []
    }),
  )
}

/** Whether these are all components of a plane. Its folder tells, so that a fast answer reads no spec. */
export function isComplete(
  { size }: ReadonlyMap<ServingName, unknown>,
  folder: PlaneFolder,
): boolean {
  const elsewhere = existsSync(folder.sharedEtcd.facts) ? 1 : 0
  return size === COMPONENT_NAMES.length - elsewhere
}

/**
 * Every process of a plane that is alive, recorded or not: a vplane that was killed before it recorded a process leaves
 * one that only its command identifies. Programs of the user that use a file of the plane do not match.
 */
export function findPlaneProcesses(folder: PlaneFolder, table: ProcessTable): ProcessIdentity[] {
  const recorded = [...runningComponents(folder, table).values()].map((record) => record.processId)
  // A copied folder has the records of another plane: so the command must match too.
  const isOfPlane = (words: readonly string[], processId: number) =>
    recorded.includes(processId)
      ? words.some((word) => word.startsWith('--') && word.includes(`=${folder.root}/`))
      : isTemporaryEtcd(words, folder) ||
        SERVING_NAMES.some((name) => isCommandOf(words, { name, flag: ownFlag(folder, name) }))
  return identitiesOf(isOfPlane, table)
}

/** Ends an etcd that ran only to read or create data, if the vplane that started it was killed. */
export async function endTemporaryEtcd(
  folder: PlaneFolder,
  table: ProcessTable,
  signal: AbortSignal,
): Promise<void> {
  const left = identitiesOf((words) => isTemporaryEtcd(words, folder), table)
  await endProcesses(left, { table, signal, graceMs: 0 })
}

function isTemporaryEtcd(words: readonly string[], folder: PlaneFolder): boolean {
  const flag = `--config-file=${folder.restoredConfiguration}`
  return isCommandOf(words, { name: 'etcd', flag })
}

function identitiesOf(
  isWanted: Parameters<ProcessTable['findByCommand']>[0],
  table: ProcessTable,
): ProcessIdentity[] {
  return table.findByCommand(isWanted).flatMap((processId) => {
    const startTime = table.startTimeOf(processId)
    return startTime === undefined ? [] : [{ processId, startTime }]
  })
}

/** Matches a component's name and flag. The program may be a script: then its interpreter comes first. */
function isCommandOf(
  words: readonly string[],
  { flag, name }: { name: ServingName; flag: string },
): boolean {
  const program = words[words.findIndex((word) => word.startsWith('--')) - 1]
  return program !== undefined && basename(program) === name && words.includes(flag)
}

/** A flag that every version of vplane has set for the component, and that users cannot change. */
function ownFlag({ configuration, pki }: PlaneFolder, name: ServingName): string {
  const flags: Record<ServingName, string> = {
    etcd: `--config-file=${configuration}/${ETCD_FILE}`,
    kine: `--${KINE_OWN_FLAG}=${pki}/etcd/server.crt`,
    'kube-apiserver': `--tls-cert-file=${pki}/apiserver.crt`,
    'kube-controller-manager': `--kubeconfig=${configuration}/controller-manager.kubeconfig`,
  }
  return flags[name]
}
