import type { Operation } from '../../../control-plane/driver/operation.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import { waitFor } from '../../../shared/wait.ts'
import type { Host } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { strandedVolume } from '../diagnosis/volumes/stranded-volume.ts'
import { claimOf, deleteClaim } from '../etcd/members/member-volumes.ts'
import { replicasOf } from '../observed/workloads.ts'
import type { Journal } from '../record/journal.ts'

/** How long the host may take to delete a volume claim, in milliseconds. */
const CLAIM_TIMEOUT_MS = 120_000

/**
 * Deletes the claims of volumes on nodes that no longer exist, so that the next pods of the store get new ones. Requires
 * that no pod of it exists, and that its data is about to be replaced.
 */
export async function replaceStranded(
  { api, context: hostContext }: Pick<Host, 'api' | 'context'>,
  journal: Pick<Journal, 'record' | 'step'>,
  {
    component,
    operation,
    place,
  }: { place: PlacedName; component: 'etcd' | 'kine'; operation: Operation },
): Promise<void> {
  const { signal, timeoutMs = CLAIM_TIMEOUT_MS, ui } = operation
  const { name, namespace } = place
  for (let ordinal = 0; ordinal < replicasOf(journal.record, component); ordinal += 1) {
    const member = `${objectName(name, component)}-${ordinal}`
    const claim = claimOf(member)
    const stranded = await strandedVolume(api, { claim, namespace, hostContext }, signal)
    if (stranded === undefined) {
      continue
    }
    ui.step(`Giving ${member} a new volume: ${stranded.reason}`)
    await journal.step(`removing the volume of ${member}`)
    const path = objectPath('persistentvolumeclaims', { name: claim, namespace })
    const { uid } = stranded
    await deleteClaim(api, { name: claim, namespace, uid }, signal)
    await waitFor(
      async (deadline) => (await api.get(path, { signal: deadline }))?.metadata.uid !== uid,
      { what: `the end of "${claim}"`, timeoutMs, signal },
    )
  }
}
