import type { Operation } from '../../../control-plane/driver/operation.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import { waitFor } from '../../../shared/wait.ts'
import { claimOf } from '../etcd/members/remove-volumes.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { Host } from '../context/context.ts'
import { strandedVolume } from '../diagnosis/volumes/stranded-volume.ts'
import type { Journal } from '../record/journal.ts'
import type { PlacedName } from '../context/object-names.ts'
import { replicasOf } from '../observed/workloads.ts'

const TIMEOUT_MS = 120_000

/**
 * Deletes the claims of volumes on nodes that no longer exist, so that the next pods of etcd get new volumes on other
 * nodes. Requires that no pod of etcd exists, and that its data is about to be replaced.
 *
 * @throws {VplaneError} `TIMED_OUT` when a claim is not deleted in time.
 */
export async function replaceStranded(
  { api, context: hostContext }: Pick<Host, 'api' | 'context'>,
  journal: Pick<Journal, 'record' | 'step'>,
  { operation, place }: { operation: Operation; place: PlacedName },
): Promise<void> {
  const { signal, timeoutMs = TIMEOUT_MS, ui } = operation
  const { name, namespace } = place
  for (let ordinal = 0; ordinal < replicasOf(journal.record, 'etcd'); ordinal += 1) {
    const member = memberName(name, ordinal)
    const claim = claimOf(member)
    const stranded = await strandedVolume(api, { claim, namespace, hostContext }, signal)
    if (stranded === undefined) {
      continue
    }
    ui.step(`Giving ${member} a new volume: ${stranded.reason}`)
    await journal.step(`removing the volume of ${member}`)
    const path = objectPath('persistentvolumeclaims', { name: claim, namespace })
    const { uid } = stranded
    await api.delete(path, { signal, uid })
    await waitFor(
      async (deadline) => (await api.get(path, { signal: deadline }))?.metadata.uid !== uid,
      { what: `the end of "${claim}"`, timeoutMs, signal },
    )
  }
}
