import { wakesForAny } from '../../../control-plane/plane/is-woken-by-any.ts'
import { servingOf, type ServingName } from '../../../control-plane/plane/plane.ts'
import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
import { choosePorts, takenPorts } from '../store/choose-ports.ts'
import { askForPort } from '../../../shared/network/ask-for-port.ts'
import { canSharePorts, isFree } from '../../../shared/network/ports.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import { serverOf } from '../components/local-layout.ts'
import { lastLines } from '../logs/read-log.ts'
import type { PlaneRecord, Ports } from '../store/plane-record.ts'
import { findPlaneProcesses, runningComponents } from '../components/running-components.ts'
import type { PlaneContext, StartContext, StartOptions } from '../components/start-context.ts'

/** What every component prints when it cannot listen. */
const ADDRESS_IN_USE = 'address already in use'
const LINES = 8

const PORTS_OF: Record<ServingName, ReadonlyArray<keyof Ports>> = {
  etcd: ['etcdClient', 'etcdPeer'],
  kine: ['etcdClient'],
  'kube-apiserver': ['apiServer'],
  'kube-controller-manager': ['controllerManager'],
}

/** How long the keeper may take until it stops listening, in milliseconds. */
const KEEPER_MS = 5000

class PortConflict extends VplaneError {
  readonly component: ServingName

  constructor(component: ServingName, { name, port }: { name: string; port: number }) {
    const message = `cannot start ${component} of "${name}": another program listens on 127.0.0.1:${port}`
    super('COMPONENT_FAILED', message, { hints: [{ action: 'resume', plane: { name } }] })
    this.component = component
  }
}

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
  for (const port of PORTS_OF[component].map((one) => ports[one])) {
    if (!(await (isOfKeeper ? askForPort(port, KEEPER_MS) : isFree(port)))) {
      throw new PortConflict(component, { name, port })
    }
  }
}

/**
 * Gives a component other ports, and stops all components, when it could not start because another program listens on one
 * of its ports. The other ports stay: clients know that of the API server. Returns the stored record; undefined when `error`
 * has another cause.
 */
export async function movePorts(
  context: PlaneContext,
  record: PlaneRecord,
  { error, operation }: StartOptions & { error: unknown },
): Promise<PlaneRecord | undefined> {
  const { store, table } = context
  const component = await refusedComponent(error, context, record)
  if (component === undefined) {
    return undefined
  }
  const processes = findPlaneProcesses(store.folder(record.name), table)
  await endProcesses(processes, { table, signal: operation.signal, graceMs: 0 })
  await using _ports = await store.lockPorts(operation.signal)
  const others = await choosePorts(await takenPorts(context))
  const ports = { ...record.ports }
  for (const one of PORTS_OF[component]) {
    ports[one] = others[one]
  }
  if (component === 'kube-apiserver') {
    const server = serverOf(ports)
    operation.ui.warn(
      `another program took the port of "${record.name}": its address is now ${server}`,
    )
  } else {
    operation.ui.note(
      `another program took a port of ${component} of "${record.name}"; it gets another one`,
    )
  }
  return await store.update({ ...record, ports })
}

/** The component that could not listen; undefined when the start failed for another reason. */
async function refusedComponent(
  error: unknown,
  { store, table }: PlaneContext,
  { name, spec }: PlaneRecord,
): Promise<ServingName | undefined> {
  if (error instanceof PortConflict) {
    return error.component
  }
  if (!isVplaneError(error, 'COMPONENT_FAILED')) {
    return undefined
  }
  const folder = store.folder(name)
  const running = runningComponents(folder, table)
  // The log of a component that runs, or was not started, may report a conflict of an earlier start.
  const failed = servingOf(spec).find((component) => !running.has(component))
  const lines = failed === undefined ? [] : await lastLines(folder.logOf(failed), LINES)
  return lines.some((line) => line.includes(ADDRESS_IN_USE)) ? failed : undefined
}
