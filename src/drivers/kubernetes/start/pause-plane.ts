import type { Operation } from '../../../control-plane/driver.ts'
import { COMPONENT_NAMES } from '../../../control-plane/plane.ts'
import type { KubernetesContext } from '../context.ts'
import type { ReadableRecord } from '../store/record-store.ts'
import { holdPlane, refuseHalfDeleted } from './hold-plane.ts'
import { stopComponents } from './stop-components.ts'

/**
 * Records that a plane is to rest, then takes its pods away. Its data stays: etcd of an ephemeral plane, whose data would
 * go with the pod, runs on.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was removed meanwhile, `TIMED_OUT` when a pod does not end.
 */
export async function pausePlane(
  { host, now }: Pick<KubernetesContext, 'host' | 'now'>,
  { name, namespace, record }: ReadableRecord,
  operation: Operation,
): Promise<void> {
  const { api } = await host()
  const place = { name, namespace }
  const options = { place, id: record.id, operation: 'pause', now } as const
  await using held = await holdPlane({ api }, options, operation)
  const { journal } = held
  refuseHalfDeleted(journal.record)
  await journal.step('stopping', { desired: 'paused' })
  const { ephemeral } = journal.record.spec
  const components = COMPONENT_NAMES.filter((component) => component !== 'etcd' || !ephemeral)
  await stopComponents(api, journal, { place, components, operation })
  await journal.finish()
  if (ephemeral) {
    operation.ui.note(
      `etcd of "${name}" runs on: it holds the data of an ephemeral plane in memory.`,
    )
  }
}
