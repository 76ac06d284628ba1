import type { Operation } from '../../../control-plane/driver/operation.ts'
import { COMPONENT_NAMES } from '../../../control-plane/plane/plane.ts'
import { freeSpace } from '../../../etcd/repair/free-space.ts'
import { localEtcd } from '../components/local-etcd.ts'
import type { StartContext } from '../components/start-context.ts'
import { stopComponent } from '../components/stop-components.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { diagnosePlane } from './diagnose-plane.ts'

/** Time for a stuck process to end by itself. */
const GRACE_MS = 2000

/**
 * Repairs the current faults of a plane: ends stuck components, starts those that do not run, and frees space in a full
 * etcd. The caller holds the plane's lock.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when a component does not start, `FAILED` when etcd stays full.
 */
export async function repairPlane(
  context: StartContext,
  record: PlaneRecord,
  operation: Operation,
): Promise<void> {
  const { faults } = await diagnosePlane(context, record, operation.signal)
  const stuck = faults.filter(({ remedy }) => remedy === 'restart')
  for (const component of COMPONENT_NAMES) {
    if (stuck.some((fault) => fault.component === component)) {
      await stopComponent(context, record.name, { component, graceMs: GRACE_MS, operation })
    }
  }
  await startPlane(context, record, { operation, wait: true })
  if (faults.some(({ remedy }) => remedy === 'free-space')) {
    await freeSpace([await localEtcd(context, record.name)], operation)
  }
}
