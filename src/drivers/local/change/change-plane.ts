import type { SpecChange } from '../../../control-plane/changes/changed-spec.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { COMPONENT_NAMES, type ComponentName } from '../../../control-plane/plane/plane.ts'
import { refuseHalfRestored } from '../../../control-plane/plane/refuse-half-restored.ts'
import { specsAfter } from '../../../control-plane/changes/specs-after.ts'
import { packageVersion } from '../../../shared/package-root.ts'
import { isListening } from '../../../shared/network/ports.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import { waitFor } from '../../../shared/wait.ts'
import { checkRunning } from '../components/check-running.ts'
import { refuseUnfinished } from '../store/refuse-unfinished.ts'
import { runningComponents } from '../components/running-components.ts'
import { isServerNamed, writeServerCertificate } from '../certificates/server-certificate.ts'
import type { StartContext } from '../components/start-context.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import { writeConfiguration } from '../components/write-plane-files.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { staleComponents } from './stale-components.ts'

/** Time for one component to end by itself: kube-apiserver finishes the requests it has. */
const GRACE_MS = 15_000

const TIMEOUT_MS = 300_000

/**
 * Stores another spec for a plane, and starts those of its components again that run otherwise. Of a plane that rests
 * only the spec changes. Whoever calls holds the plane's lock.
 *
 * @returns the record as it is stored now.
 * @throws {VplaneError} `FAILED` when its making or a restore was cut off, and as `specsAfter` and `startPlane` do.
 */
export async function changePlane(
  context: StartContext,
  record: PlaneRecord,
  { change, operation }: { change: SpecChange; operation: Operation },
): Promise<PlaneRecord> {
  refuseUnfinished(record)
  refuseHalfRestored(record)
  const specs = specsAfter(record, change)
  const { store, table } = context
  const folder = store.folder(record.name)
  // Getting them may take minutes, and fail.
  await context.findBinaries({ ...record, ...specs }, operation)
  const changed = await store.update({ ...record, ...specs })
  if (!(await isServerNamed(changed, folder))) {
    operation.ui.step('Issuing the certificate of its API')
    await writeServerCertificate(changed, folder, context.now())
  }
  const finish = (done: PlaneRecord) => store.update({ ...done, madeBy: packageVersion() })
  if (changed.desired === 'paused') {
    return finish(changed)
  }
  await writeConfiguration(changed, folder)
  const stale = staleComponents(changed, folder, table)
  for (const component of stale.toReversed()) {
    operation.ui.step(`Stopping ${component}`)
    const running = runningComponents(folder, table).get(component)
    const processes = running === undefined ? [] : [running]
    await endProcesses(processes, { table, signal: operation.signal, graceMs: GRACE_MS })
  }
  const started = await startPlane(context, changed, { operation, wait: true })
  await waitForPorts(context, started, operation)
  return finish(started)
}

/**
 * A component that cannot take its flags ends before it listens.
 *
 * @throws {VplaneError} `COMPONENT_FAILED`, `TIMED_OUT`.
 */
async function waitForPorts(
  { store, table }: Pick<StartContext, 'store' | 'table'>,
  { name, ports }: PlaneRecord,
  { signal, timeoutMs = TIMEOUT_MS }: Operation,
): Promise<void> {
  const portOf: Record<ComponentName, number> = {
    etcd: ports.etcdClient,
    'kube-apiserver': ports.apiServer,
    'kube-controller-manager': ports.controllerManager,
  }
  const target = { name, folder: store.folder(name), table }
  await waitFor(
    async () => {
      await checkRunning(target, COMPONENT_NAMES)
      const listening = await Promise.all(COMPONENT_NAMES.map((one) => isListening(portOf[one])))
      return listening.every(Boolean)
    },
    { what: `the components of "${name}"`, timeoutMs, intervalMs: 20, signal },
  )
}
