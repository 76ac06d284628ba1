import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import { waitForComponent } from '../workloads/wait-for-component.ts'
import type { KubernetesContext } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { ownStoreOf } from '../../../control-plane/store/store.ts'
import { isVplaneError } from '../../../shared/errors.ts'
import { areMembersComplete } from '../observed/is-as-wanted.ts'
import { observePlane } from '../observed/observed-plane.ts'
import { readPlane } from '../record/hold-plane.ts'
import { markData } from '../workloads/mark-data.ts'
import { isUnfinished } from '../record/plane-record.ts'

/** Who has the data of a plane. */
const DATA = {
  etcd: { component: 'etcd', of: 'a member of etcd', all: 'all members of etcd' },
  kine: { component: 'kine', of: 'kine', all: 'kine' },
  'kube-apiserver': { component: 'kube-apiserver', of: 'a plane', all: 'kube-apiserver' },
} as const

/**
 * Returns when every member of a plane's etcd, or kine, or an etcd that others use too has data and its configuration states that: then none starts empty
 * after it has lost its volume. The API responds with a majority of members, and one that starts later might lose its
 * acknowledged data before the next check. Warns if another manager owns that configuration, as `kubectl apply` does.
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
  let data: (typeof DATA)[keyof typeof DATA] = DATA.etcd
  const isSettled = async (signal: AbortSignal) => {
    const { record } = await readPlane(api, { place, id }, signal)
    data = DATA[ownStoreOf(record.spec) ?? 'kube-apiserver']
    // An operation of another vplane marks the data itself.
    if (record.hasData || isUnfinished(record)) {
      return true
    }
    if (areMembersComplete(record, await observePlane(api, place, signal))) {
      // Does nothing while another vplane works on the plane; then the next check tries again.
      try {
        await markData(api, { place, id, now }, signal)
      } catch (error) {
        if (!isVplaneError(error, 'CONFLICT')) {
          throw error
        }
        const what = `${data.of} that loses its volume would start without data`
        operation.ui.warn(`${what}: ${error.message}`)
        return true
      }
      return (await readPlane(api, { place, id }, signal)).record.hasData
    }
    return false
  }
  if (await isSettled(operation.signal)) {
    return
  }
  operation.ui.step(`Waiting for ${data.all}`)
  await waitForComponent(
    { diagnose, host, operation, place },
    { component: data.component, what: data.all, check: isSettled },
  )
}
