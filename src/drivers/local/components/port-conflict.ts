import type { ComponentName } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { lastLines } from '../logs/read-log.ts'
import { isFree } from '../../../shared/network/ports.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord, Ports } from '../store/plane-record.ts'

/** What a component says in its last lines when it cannot listen. */
const REFUSAL = 'address already in use'
const LINES = 8

const PORTS_OF: Record<ComponentName, (ports: Ports) => number[]> = {
  etcd: ({ etcdClient, etcdPeer }) => [etcdClient, etcdPeer],
  'kube-apiserver': ({ apiServer }) => [apiServer],
  'kube-controller-manager': ({ controllerManager }) => [controllerManager],
}

/** Thrown when somebody else listens on a port of a component that does not run. */
export class PortConflict extends VplaneError {}

/**
 * Returns when nobody listens on the ports of a component that is about to start.
 *
 * @throws {PortConflict} when somebody does.
 */
export async function refuseTakenPorts(
  record: PlaneRecord,
  component: ComponentName,
): Promise<void> {
  for (const port of PORTS_OF[component](record.ports)) {
    if (!(await isFree(port))) {
      throw new PortConflict(
        'COMPONENT_FAILED',
        `cannot start ${component} of "${record.name}": another program listens on 127.0.0.1:${port}`,
        { hints: [{ action: 'resume', plane: { name: record.name } }] },
      )
    }
  }
}

/** Tells whether a component that has ended found its port taken in the moment of listening. */
export async function foundPortTaken(
  folder: PlaneFolder,
  component: ComponentName,
): Promise<boolean> {
  const lines = await lastLines(folder.logOf(component), LINES)
  return lines.some((line) => line.includes(REFUSAL))
}
