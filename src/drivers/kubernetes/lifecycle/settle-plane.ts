import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import { waitForComponent } from '../workloads/wait-for-component.ts'
import type { KubernetesContext } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { areMembersComplete } from '../observed/is-as-wanted.ts'
import { observePlane } from '../observed/observed-plane.ts'
import { readPlane } from '../record/hold-plane.ts'
import { markData } from '../workloads/mark-data.ts'
import { isUnfinished } from '../record/journal.ts'

/**
 * Returns when every member of a plane's etcd has stored something and knows it: none of them serves an empty plane when it has lost
 * its volume. The API answers with a majority of them, and one that begins later might lose what it agreed to before
 * anybody looks again. Where somebody else manages the files that would tell them, as `kubectl apply` does, it warns.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when a member can never run, `TIMED_OUT`, `CONTROL_PLANE_NOT_FOUND`.
 */
export async function settlePlane(
  { diagnose, host: openHost, now }: Pick<KubernetesContext, 'diagnose' | 'host' | 'now'>,
  { id, place }: { place: PlacedName; id: Plane['id'] },
  operation: Operation,
): Promise<void> {
  const host = await openHost()
  const { api } = host
  const isSettled = async (signal: AbortSignal) => {
    const { record } = await readPlane(api, { place, id }, signal)
    // What somebody else has begun since it was made is theirs to finish.
    if (record.hasData || isUnfinished(record)) {
      return true
    }
    if (areMembersComplete(record, await observePlane(api, place, signal))) {
      // When somebody else works on the plane, it is looked again.
      try {
        await markData(api, { place, id, now }, signal)
      } catch (error) {
        if (!(error instanceof VplaneError) || error.code !== 'CONFLICT') {
          throw error
        }
        operation.ui.warn(
          `a member of etcd that loses its volume would begin anew: ${error.message}`,
        )
        return true
      }
      return (await readPlane(api, { place, id }, signal)).record.hasData
    }
    return false
  }
  if (await isSettled(operation.signal)) {
    return
  }
  operation.ui.step('Waiting for all members of etcd')
  await waitForComponent(
    { diagnose, host, operation, place },
    { component: 'etcd', what: 'all members of etcd', check: isSettled },
  )
}
