import type { Operation } from '../../../control-plane/driver/operation.ts'
import { SERVING_NAMES, type ServingName } from '../../../control-plane/plane/plane.ts'
import { endProcesses } from '../../../shared/processes/end-processes.ts'
import { removeProcessRecord } from '../../../shared/processes/launch/process-record.ts'
import { findPlaneProcesses, runningComponents } from './running-components.ts'
import type { PlaneContext, StartContext } from './start-context.ts'

/** Time for a component to end by itself: kube-apiserver finishes its requests. */
const GRACE_MS = 15_000

/** How long the start of kube-controller-manager may take: it waits 10 s for the API, and begins its controllers then. */
const CONTROLLERS_START_MS = 30_000

/** Ends the components of a plane in reverse order of their start, then processes without a record. */
export async function stopComponents(
  context: PlaneContext,
  name: string,
  operation: Operation,
): Promise<void> {
  const { store, table } = context
  const folder = store.folder(name)
  for (const component of SERVING_NAMES.toReversed()) {
    await stopComponent(context, name, { component, operation })
    await removeProcessRecord(folder.processOf(component))
  }
  const { signal } = operation
  await endProcesses(findPlaneProcesses(folder, table), { table, signal, graceMs: 0 })
}

/** Ends a component if it runs. */
export async function stopComponent(
  { store, table }: PlaneContext,
  name: string,
  {
    component,
    graceMs = GRACE_MS,
    operation: { signal, ui },
  }: { component: ServingName; graceMs?: number; operation: Operation },
): Promise<void> {
  const running = runningComponents(store.folder(name), table).get(component)
  if (running !== undefined) {
    ui.step(`Stopping ${component}`)
    await endProcesses([running], { table, signal, graceMs })
  }
}

/**
 * Ends a kube-controller-manager that may not have begun yet, before another kube-apiserver starts: it ends by itself when
 * it sees no healthy API in the 10 s after its own start, however long that kube-apiserver needs (k8s.io/kubernetes,
 * `WaitForAPIServer`). Its caller starts it again when the API is ready.
 */
export async function endYoungControllerManager(
  context: Pick<StartContext, 'now' | 'store' | 'table'>,
  name: string,
  operation: Operation,
): Promise<void> {
  const component = 'kube-controller-manager'
  const running = runningComponents(context.store.folder(name), context.table, [component])
  const startedAt = Date.parse(running.get(component)?.startedAt ?? '')
  if (context.now().getTime() - startedAt < CONTROLLERS_START_MS) {
    // Without grace: it serves no requests and holds no lease, and would wait for the API that is gone.
    await stopComponent(context, name, { component, graceMs: 0, operation })
  }
}
