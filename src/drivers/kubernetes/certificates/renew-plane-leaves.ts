import type { Operation } from '../../../control-plane/driver.ts'
import { leavesToRenew, renewLeaves } from '../../../pki/certificate-expiry.ts'
import { applyKeys } from '../create/apply-keys.ts'
import { certificateFields, keptKeys } from '../create/kept-keys.ts'
import type { KubernetesContext } from '../context.ts'
import type { PlacedName } from '../object-names.ts'
import { holdPlane, refuseHalfDeleted, refuseHalfMade } from '../start/hold-plane.ts'

/**
 * Issues all leaf certificates of a plane anew, and puts them into its Secrets: the pods read them again by themselves
 * within about a minute, when their node has brought them the Secrets. A plane that rests stays at rest.
 *
 * @returns the names of the certificates that were issued.
 * @throws {VplaneError} `FAILED` when its keys are gone or it is half made, and as `holdPlane` does.
 */
export async function renewPlaneLeaves(
  { host, now }: Pick<KubernetesContext, 'host' | 'now'>,
  { id, place }: { id: string; place: PlacedName },
  operation: Operation,
): Promise<string[]> {
  const { signal, ui } = operation
  const { api } = await host()
  const options = { place, id, operation: 'rotate', now } as const
  await using held = await holdPlane({ api }, options, operation)
  const { journal } = held
  refuseHalfDeleted(journal.record)
  refuseHalfMade(journal.record)
  ui.step('Issuing certificates')
  const kept = await keptKeys(api, place, signal)
  const due = { now: now(), withinMs: Infinity }
  const names = leavesToRenew(kept, due)
  const files = { ...kept, ...renewLeaves(kept, due) }
  await journal.step('replacing certificates', certificateFields(files))
  await applyKeys(api, { place, record: journal.record, files, signal })
  await journal.finish()
  return names.map((name) => name.replace(/\.crt$/, '')).toSorted()
}
