import { COMPONENT_NAMES } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { choosePorts, takenPorts } from '../store/choose-ports.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { foundPortTaken, PortConflict } from '../components/port-conflict.ts'
import { findPlaneProcesses, runningComponents } from '../components/running-components.ts'
import type { StartContext, StartOptions } from '../components/start-context.ts'

/**
 * Gives a plane other ports when it could not start because somebody else listens on one of its own.
 *
 * @returns the stored record, with all components stopped; undefined when ports are not what `error` is about.
 */
export async function movePorts(
  { store, table }: StartContext,
  record: PlaneRecord,
  { error, operation }: StartOptions & { error: unknown },
): Promise<PlaneRecord | undefined> {
  const folder = store.folder(record.name)
  if (!(await isPortConflict(error, folder, table))) {
    return undefined
  }
  operation.ui.warn(`another program took a port of "${record.name}"; it gets other ones`)
  const processes = findPlaneProcesses(folder, table)
  await endProcesses(processes, { table, signal: operation.signal, graceMs: 0 })
  await using _ports = await store.lockPorts(operation.signal)
  return await store.update({ ...record, ports: await choosePorts(await takenPorts(store)) })
}

async function isPortConflict(
  error: unknown,
  folder: PlaneFolder,
  table: ProcessTable,
): Promise<boolean> {
  if (!(error instanceof VplaneError) || error.code !== 'COMPONENT_FAILED') {
    return false
  }
  if (error instanceof PortConflict) {
    return true
  }
  // Those that live may say so of an earlier start.
  const running = runningComponents(folder, table)
  for (const name of COMPONENT_NAMES) {
    if (!running.has(name) && (await foundPortTaken(folder, name))) {
      return true
    }
  }
  return false
}
