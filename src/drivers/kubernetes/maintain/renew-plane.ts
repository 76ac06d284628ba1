import type { KubernetesContext } from '../context/context.ts'
import type { HostApi } from '../host/host-api.ts'
import { type HoldPlaneOptions, holdToMaintain } from '../record/hold-plane.ts'
import { repairPlane } from './repair-plane.ts'

/**
 * Renews the certificates of a plane in their last 90 days, and puts back what is missing of it. Left to the next look
 * when somebody else works on the plane, or was cut off; one that rests is renewed when it is started.
 */
export async function renewPlane(
  api: HostApi,
  { now, ...options }: Omit<HoldPlaneOptions, 'operation'> & Pick<KubernetesContext, 'now'>,
  signal: AbortSignal,
): Promise<void> {
  await using held = await holdToMaintain(api, { ...options, now }, signal)
  if (held?.journal.record.desired === 'running') {
    await repairPlane(api, held.journal, { place: options.place, now, signal })
    await held.journal.finish()
  }
}
