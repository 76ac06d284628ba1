import { wakesForAny } from '../../../control-plane/plane/is-woken-by-any.ts'
import { servingOf, type ServingName } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { choosePorts, takenPorts } from '../store/choose-ports.ts'
import { isFree, isFreeToShare } from '../../../shared/network/ports.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import { lastLines } from '../logs/read-log.ts'
import type { PlaneRecord, Ports } from '../store/plane-record.ts'
import { findPlaneProcesses, runningComponents } from '../components/running-components.ts'
import type { PlaneContext, StartOptions } from '../components/start-context.ts'

/** What every component prints when it cannot listen. */
const ADDRESS_IN_USE = 'address already in use'
const LINES = 8

const PORTS_OF: Record<ServingName, (ports: Ports) => number[]> = {
  etcd: ({ etcdClient, etcdPeer }) => [etcdClient, etcdPeer],
  kine: ({ etcdClient }) => [etcdClient],
  'kube-apiserver': ({ apiServer }) => [apiServer],
  'kube-controller-manager': ({ controllerManager }) => [controllerManager],
}

class PortConflict extends VplaneError {}

/** @throws {VplaneError} `COMPONENT_FAILED` when another program listens on one of its ports. */
export async function refuseTakenPorts(
  { name, ports, spec }: PlaneRecord,
  component: ServingName,
): Promise<void> {
  for (const port of PORTS_OF[component](ports)) {
    // The keeper may stand in for an API server that wakes.
    const isShared = component === 'kube-apiserver' && wakesForAny(spec)
    if (!(await (isShared ? isFreeToShare(port) : isFree(port)))) {
      throw new PortConflict(
        'COMPONENT_FAILED',
        `cannot start ${component} of "${name}": another program listens on 127.0.0.1:${port}`,
        { hints: [{ action: 'resume', plane: { name } }] },
      )
    }
  }
}

/**
 * Gives a plane other ports, and stops all its components, when it could not start because another program listens on
 * one of its ports. Returns the stored record; undefined when `error` has another cause.
 */
export async function movePorts(
  context: PlaneContext,
  record: PlaneRecord,
  { error, operation }: StartOptions & { error: unknown },
): Promise<PlaneRecord | undefined> {
  const { store, table } = context
  if (!(await isPortConflict(error, context, record))) {
    return undefined
  }
  operation.ui.warn(`another program took a port of "${record.name}"; it gets other ones`)
  const processes = findPlaneProcesses(store.folder(record.name), table)
  await endProcesses(processes, { table, signal: operation.signal, graceMs: 0 })
  await using _ports = await store.lockPorts(operation.signal)
  return await store.update({ ...record, ports: await choosePorts(await takenPorts(store)) })
}

async function isPortConflict(
  error: unknown,
  { store, table }: PlaneContext,
  { name, spec }: PlaneRecord,
): Promise<boolean> {
  if (!(error instanceof VplaneError) || error.code !== 'COMPONENT_FAILED') {
    return false
  }
  if (error instanceof PortConflict) {
    return true
  }
  // The log of a component that runs may report a conflict of an earlier start.
  const folder = store.folder(name)
  const running = runningComponents(folder, table)
  for (const component of servingOf(spec).filter((one) => !running.has(one))) {
    const lines = await lastLines(folder.logOf(component), LINES)
    if (lines.some((line) => line.includes(ADDRESS_IN_USE))) {
      return true
    }
  }
  return false
}
