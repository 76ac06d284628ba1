import { type AnyComponentName, componentsOf } from '../../../control-plane/plane/plane.ts'
import { moveOf, type ReturnRequest } from '../../../control-plane/driver/plane-moves.ts'
import { runsWhilePaused } from '../../../control-plane/plane/runs-while-paused.ts'
import { createEtcdClient } from '../../../pki/plane/etcd-pki.ts'
import type { KubernetesContext, PlaneOperation } from '../context/context.ts'
import { applyKeys } from '../maintain/apply-keys.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import { holdPlane } from '../record/hold-plane.ts'
import { repairPlane } from '../maintain/repair-plane.ts'
import { scaleWorkload } from '../workloads/scale-workload.ts'
import { stopComponents } from '../workloads/stop-components.ts'

/** Starts a plane, or leaves it paused as it was, after its data in the other place is gone. */
export async function returnPlane(
  context: Pick<KubernetesContext, 'host' | 'now'>,
  { id, operation, place, takeBack, undo }: ReturnRequest & PlaneOperation,
): Promise<void> {
  const { api } = await context.host()
  const { now } = context
  const { signal, ui } = operation
  await using held = await holdPlane({ api }, { place, id, operation: 'move', now }, operation)
  const { journal } = held
  const { movingTo, spec } = journal.record
  if (movingTo?.handedTo !== undefined) {
    await takeBack(movingTo)
    // From here on its data in the other place may be gone.
    await journal.step('taking it back', { movingTo: moveOf(journal.record, movingTo.to) })
  }
  await undo()
  if (movingTo === undefined) {
    return
  }
  await journal.step('taking the fence away')
  const files = await storedKeys(api, place, signal)
  const authority = { certificate: files['etcd/ca.crt'] ?? '', key: files['etcd/ca.key'] ?? '' }
  const { algorithm } = spec.pki
  const client = createEtcdClient({ algorithm, authority, now: now() })
  const restored = { ...files, ...client }
  await applyKeys(api, { place, record: journal.record, files: restored, signal })
  const isPaused = movingTo.wasPaused === true
  const isToStay = (component: AnyComponentName) =>
    isPaused ? runsWhilePaused(spec, component) : component === 'etcd'
  // Pods that another client created behind the fence do not start, and would retry only after a while.
  const components = componentsOf(spec).filter((component) => !isToStay(component))
  await stopComponents(api, journal, { place, components, operation })
  if (isPaused) {
    await journal.step('leaving it paused', { movingTo: undefined })
    const { record } = journal
    for (const component of componentsOf(spec).filter(isToStay)) {
      await scaleWorkload(api, record, { place, component, signal })
    }
    await journal.finish()
    return
  }
  await journal.step('starting', { desired: 'running', idleSince: undefined, movingTo: undefined })
  ui.step(`Starting Kubernetes ${spec.version}`)
  await repairPlane(api, journal, { place, now, signal })
  await journal.finish()
}
