import { wakesForAny } from '../../../control-plane/plane/is-woken-by-any.ts'
import { servingOf, type ServingName } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { choosePorts, takenPorts } from '../store/choose-ports.ts'
import { askForPort } from '../../../shared/network/ask-for-port.ts'
import { canSharePorts, isFree } from '../../../shared/network/ports.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import { lastLines } from '../logs/read-log.ts'
import type { PlaneRecord, Ports } from '../store/plane-record.ts'
import { findPlaneProcesses, runningComponents } from '../components/running-components.ts'
import type { PlaneContext, StartContext, StartOptions } from '../components/start-context.ts'

/** What every component prints when it cannot listen. */
const ADDRESS_IN_USE = 'address already in use'
const LINES = 8

const PORTS_OF: Record<ServingName, (ports: Ports) => number[]> = {
  etcd: ({ etcdClient, etcdPeer }) => [etcdClient, etcdPeer],
  kine: ({ etcdClient }) => [etcdClient],
  'kube-apiserver': ({ apiServer }) => [apiServer],
  'kube-controller-manager': ({ controllerManager }) => [controllerManager],
}

/** How long the keeper may take until it stops listening, in milliseconds. */
const KEEPER_MS = 5000

class PortConflict extends VplaneError {}

/**
 * Has the keeper stop listening on the port of an API server, unless they can share it. The caller holds the plane's lock.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when another program listens on one of its ports.
 */
export async function freePorts(
  { sharesPorts = canSharePorts() }: Pick<StartContext, 'sharesPorts'>,
  { name, ports, spec }: PlaneRecord,
  component: ServingName,
): Promise<void> {
  // The keeper may stand in for an API server that wakes.
  const isOfKeeper = component === 'kube-apiserver' && wakesForAny(spec)
  if (isOfKeeper && sharesPorts) {
    // To listen there would take connections from the keeper. The API server ends if another program has the port.
    return
  }
  for (const port of PORTS_OF[component](ports)) {
    if (!(await (isOfKeeper ? askForPort(port, KEEPER_MS) : isFree(port)))) {
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
