import { applyObjects } from '../create/apply-objects.ts'
import { scaleWorkload } from '../start/scale-workload.ts'
import type { ChangeContext } from './change-context.ts'
import { etcdObjects } from './etcd-objects.ts'

/** Applies the configuration files of etcd's members, and gives etcd as many pods as it has members now. */
export async function applyMembers(context: ChangeContext): Promise<void> {
  const { host, journal, operation, place } = context
  const { signal } = operation
  const { configuration, statefulSet } = etcdObjects(context)
  await applyObjects(host.api, configuration, signal)
  await scaleWorkload(host.api, journal.record, { place, component: 'etcd', signal })
  await applyObjects(host.api, [statefulSet], signal)
}

/** From now on no member of etcd starts without data: whoever was to join has done so. */
export async function closeEtcd(context: ChangeContext): Promise<void> {
  const { host, journal, operation } = context
  if (journal.record.joining === undefined) {
    return
  }
  await journal.step('closing etcd', { joining: undefined, absent: undefined })
  await applyObjects(host.api, etcdObjects(context).configuration, operation.signal)
}
