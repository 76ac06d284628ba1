import type { Operation } from '../../../control-plane/driver/operation.ts'
import { COMPONENT_NAMES } from '../../../control-plane/plane/plane.ts'
import { freeSpace } from '../../../etcd/repair/free-space.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import { localEtcd } from '../components/local-etcd.ts'
import { runningComponents } from '../components/running-components.ts'
import type { StartContext } from '../components/start-context.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { diagnosePlane } from './diagnose-plane.ts'

/** Time for a process to end by itself that does not do its work any more. */
const GRACE_MS = 2000

/**
 * Does what vplane can do about what is wrong with a plane now: ends what is stuck, starts what does not run, makes room
 * in a full etcd. Whoever calls holds the plane's lock.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when a component does not start, `FAILED` when etcd stays full.
 */
export async function repairPlane(
  context: StartContext,
  record: PlaneRecord,
  operation: Operation,
): Promise<void> {
  const { store, table } = context
  const { signal, ui } = operation
  const folder = store.folder(record.name)
  const { faults } = await diagnosePlane(context, record, signal)
  for (const name of COMPONENT_NAMES) {
    const alive = runningComponents(folder, table).get(name)
    const isStuck = faults.some(
      ({ component, remedy }) => component === name && remedy === 'restart',
    )
    if (alive !== undefined && isStuck) {
      ui.step(`Ending ${name}`)
      await endProcesses([alive], { table, signal, graceMs: GRACE_MS })
    }
  }
  await startPlane(context, record, { operation, wait: true })
  if (faults.some(({ remedy }) => remedy === 'free-space')) {
    const etcd = await localEtcd(record.name, { folder, table })
    await freeSpace([etcd], { ui, signal })
  }
}
