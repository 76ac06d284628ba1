import { applyObjects } from '../../host/apply-objects.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { storeObjects } from '../../objects/store-objects.ts'
import { replicasOf, wantedReplicas, workloadPath } from '../../observed/workloads.ts'

/**
 * Applies the configuration files of etcd's members and their StatefulSet, with as many pods as it has: only the planner
 * changes their number.
 */
export async function applyMembers(context: ChangeContext): Promise<void> {
  const { host, journal, operation, place } = context
  const { signal } = operation
  const found = await host.api.get(workloadPath(place, 'etcd'), { signal })
  const present = found === undefined ? 0 : wantedReplicas(found)
  if (present > 0 && present !== replicasOf(journal.record, 'etcd')) {
    await journal.step('counting the members of etcd', { etcdMembers: present })
  }
  const { configuration, statefulSet } = storeObjects(context)
  await applyObjects(host.api, [...configuration, statefulSet], signal)
}
