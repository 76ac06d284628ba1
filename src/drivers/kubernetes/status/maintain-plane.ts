import { RENEW_WITHIN_MS } from '../../../pki/lifetimes.ts'
import type { KubernetesContext } from '../context.ts'
import type { HostApi } from '../host-api.ts'
import type { PlacedName } from '../object-names.ts'
import { tryHoldPlane } from '../start/hold-plane.ts'
import { markData } from '../start/mark-data.ts'
import { nameServer } from '../start/name-server.ts'
import { repairPlane } from '../start/repair-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { isReadyPod, type PlaneLook } from './look.ts'

export interface MaintainOptions {
  place: PlacedName
  record: PlaneRecord
  look: PlaneLook
  signal: AbortSignal
}

/**
 * Does for a plane what nobody else would do while nothing of ours runs in the host cluster: notes that etcd has stored
 * something, makes the API's certificate valid for the addresses that the host gave it, and renews certificates in their
 * last 90 days. Called by whatever looks at the plane; what cannot be done
 * now, as without the right to, is left to the next look.
 */
export async function maintainPlane(
  { now }: Pick<KubernetesContext, 'now'>,
  api: HostApi,
  { look, place, record, signal }: MaintainOptions,
): Promise<void> {
  if (!record.isComplete || record.desired === 'kept') {
    return
  }
  try {
    if (!record.hasData && look.pods('etcd').some(isReadyPod)) {
      await markData(api, { place, id: record.id, now }, signal)
    }
    if (record.desired === 'running') {
      await nameServer(api, { place, id: record.id, now }, { record, signal })
    }
    if (isDue(record, now())) {
      await renew(api, { place, record, now, signal })
    }
  } catch {
    // The status that is asked for shows when they end.
  }
}

function isDue({ certificatesExpireAt }: PlaneRecord, now: Date): boolean {
  return (
    certificatesExpireAt !== undefined &&
    Date.parse(certificatesExpireAt) - now.getTime() <= RENEW_WITHIN_MS
  )
}

async function renew(
  api: HostApi,
  { now, place, record, signal }: Omit<MaintainOptions, 'look'> & Pick<KubernetesContext, 'now'>,
): Promise<void> {
  const { desired, id } = record
  const options = { place, id, operation: 'maintain', now } as const
  await using held = await tryHoldPlane({ api }, options, signal)
  if (held !== undefined && held.journal.record.desired === desired && desired === 'running') {
    await repairPlane(api, held.journal, { place, now, signal })
    await held.journal.finish()
  }
}
