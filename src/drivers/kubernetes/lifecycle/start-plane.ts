import type { Operation } from '../../../control-plane/driver/operation.ts'
import { makePlane } from './make-plane.ts'
import { finishChange } from '../change/change-plane.ts'
import { createServiceAccountKeys } from '../../../pki/plane/service-account-keys.ts'
import type { KubernetesContext } from '../context/context.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { observePlane } from '../observed/observed-plane.ts'
import { isAsWanted } from '../observed/is-as-wanted.ts'
import { holdPlane } from '../record/hold-plane.ts'
import { repairPlane } from '../maintain/repair-plane.ts'

/** Starts missing components, or continues a creation or a change. Holds the plane only if some do not run. */
export async function startPlane(
  context: Pick<KubernetesContext, 'diagnose' | 'host' | 'now' | 'makeServiceAccountKeys'>,
  stored: ReadableRecord,
  operation: Operation,
): Promise<ReadableRecord> {
  const { makeServiceAccountKeys = createServiceAccountKeys, now } = context
  const { api } = await context.host()
  const { signal, ui } = operation
  const { name, namespace, record } = stored
  const place = { name, namespace }
  if (
    record.desired === 'running' &&
    record.isComplete &&
    record.previousSpec === undefined &&
    isAsWanted(record, await observePlane(api, place, signal))
  ) {
    return stored
  }
  const options = { place, id: record.id, operation: 'start', now } as const
  await using held = await holdPlane({ api }, options, operation)
  const { journal } = held
  await journal.step('starting', { desired: 'running', idleSince: undefined })
  if (!journal.record.isComplete) {
    const serviceAccountKeys = makeServiceAccountKeys()
    await makePlane(api, journal, { place, now, operation, serviceAccountKeys })
    return journal.stored
  }
  ui.step(`Starting Kubernetes ${record.spec.version}`)
  await repairPlane(api, journal, { place, now, signal })
  await (journal.record.previousSpec === undefined
    ? journal.finish()
    : finishChange(context, journal, { place, operation }))
  return journal.stored
}
