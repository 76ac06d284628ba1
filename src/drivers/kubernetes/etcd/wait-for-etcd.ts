import type { Operation } from '../../../control-plane/driver/operation.ts'
import { waitFor } from '../../../shared/wait.ts'
import { checkComponents } from '../workloads/check-components.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import { componentSelector, type PlacedName } from '../context/object-names.ts'
import { isReadyPod } from '../observed/observed-plane.ts'
import { watchForWakeUps } from '../host/wake-ups.ts'

const TIMEOUT_MS = 300_000

/**
 * Returns when a member of a plane's etcd is ready: then a majority works, and etcd responds. Or when its kine is ready.
 * @throws {VplaneError} `COMPONENT_FAILED` when its pods can never run, `TIMED_OUT`.
 */
export async function waitForEtcd(
  context: Pick<KubernetesContext, 'diagnose' | 'now'>,
  { api, context: hostContext }: Pick<Host, 'api' | 'context'>,
  {
    component = 'etcd',
    id,
    operation,
    place,
  }: { place: PlacedName; component?: 'etcd' | 'kine'; id: string; operation: Operation },
): Promise<void> {
  const { signal, timeoutMs = TIMEOUT_MS } = operation
  const path = collectionPath('pods', place.namespace)
  const labelSelector = componentSelector(place.name, component)
  await using changes = watchForWakeUps(api, path, { labelSelector })
  await waitFor(
    async (deadline) => {
      const { items } = await api.list(path, { labelSelector, signal: deadline })
      if (items.some(isReadyPod)) {
        return true
      }
      const options = { id, place, components: [component], signal: deadline }
      await checkComponents(context, { api, context: hostContext }, options)
      await changes.next(deadline)
      return false
    },
    { what: `${component} of "${place.name}"`, timeoutMs, signal },
  )
}
