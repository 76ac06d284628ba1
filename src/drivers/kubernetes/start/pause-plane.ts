import type { Operation } from '../../../control-plane/driver.ts'
import { COMPONENT_NAMES } from '../../../control-plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { KubernetesContext } from '../context.ts'
import { componentSelector } from '../object-names.ts'
import type { ReadableRecord } from '../store/record-store.ts'
import { holdPlane, refuseHalfDeleted } from './hold-plane.ts'
import { waitUntilGone } from './wait-until-gone.ts'
import { scaledTo, workloadPath } from './workloads.ts'

/** How long one component may take to end, in milliseconds: kube-apiserver finishes the requests it has. */
const TIMEOUT_MS = 120_000

/**
 * Records that a plane is to rest, then takes its pods away, those of the last to start first. Its data stays: etcd of
 * an ephemeral plane, whose data would go with the pod, runs on.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was removed meanwhile, `TIMED_OUT` when a pod does not end.
 */
export async function pausePlane(
  { host, now }: Pick<KubernetesContext, 'host' | 'now'>,
  { name, namespace, record }: ReadableRecord,
  operation: Operation,
): Promise<void> {
  const { api } = await host()
  const { signal, timeoutMs = TIMEOUT_MS, ui } = operation
  const place = { name, namespace }
  const options = { place, id: record.id, operation: 'pause', now } as const
  await using held = await holdPlane({ api }, options, operation)
  const { journal } = held
  refuseHalfDeleted(journal.record)
  await journal.step('stopping', { desired: 'paused' })
  const resting = COMPONENT_NAMES.filter(
    (component) => component !== 'etcd' || !journal.record.spec.ephemeral,
  )
  for (const component of resting.toReversed()) {
    ui.step(`Stopping ${component}`)
    await journal.step(`stopping ${component}`)
    const path = workloadPath(place, component)
    await unlessMissing(api.patch(path, scaledTo(0), { type: 'merge', signal }))
    await waitUntilGone(api, {
      namespace,
      labelSelector: componentSelector(name, component),
      what: `the end of ${component} of "${name}"`,
      timeoutMs,
      signal,
    })
  }
  await journal.finish()
  if (journal.record.spec.ephemeral) {
    ui.note(`etcd of "${name}" runs on: it holds the data of an ephemeral plane in memory.`)
  }
}

async function unlessMissing(patching: Promise<unknown>): Promise<void> {
  try {
    await patching
  } catch (error) {
    if (!(error instanceof VplaneError) || error.code !== 'NOT_FOUND') {
      throw error
    }
  }
}
