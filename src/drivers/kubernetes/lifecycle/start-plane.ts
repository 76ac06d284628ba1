import type { Operation } from '../../../control-plane/driver/operation.ts'
import { makePlane } from './make-plane.ts'
import { createServiceAccountKeys } from '../../../pki/plane/service-account-keys.ts'
import type { KubernetesContext } from '../context/context.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { observePlane } from '../observed/observed-plane.ts'
import { isAsWanted } from '../observed/is-as-wanted.ts'
import { holdPlane } from '../record/hold-plane.ts'
import { repairPlane } from '../maintain/repair-plane.ts'

/** Starts missing components, or continues a creation. Holds the plane only if some do not run. */
export async function startPlane(
  {
    host,
    now,
    makeServiceAccountKeys = createServiceAccountKeys,
  }: Pick<KubernetesContext, 'host' | 'now' | 'makeServiceAccountKeys'>,
  stored: ReadableRecord,
  operation: Operation,
): Promise<ReadableRecord> {
  const { api } = await host()
  const { signal, ui } = operation
  const { name, namespace, record } = stored
  const place = { name, namespace }
  if (
    record.desired === 'running' &&
    record.isComplete &&
    isAsWanted(record, await observePlane(api, place, signal))
  ) {
    return stored
  }
  const options = { place, id: record.id, operation: 'start', now } as const
  await using held = await holdPlane({ api }, options, operation)
  const { journal } = held
  await journal.step('starting', { desired: 'running', idleSince: undefined })
  if (journal.record.isComplete) {
    ui.step(`Starting Kubernetes ${record.spec.version}`)
    await repairPlane(api, journal, { place, now, signal })
    await journal.finish()
  } else {
    const serviceAccountKeys = makeServiceAccountKeys()
    await makePlane(api, journal, { place, now, operation, serviceAccountKeys })
  }
  return journal.stored
}
