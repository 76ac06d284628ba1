import { objectPath } from '../../../../shared/kube/collections.ts'
import { isPod } from '../../host/host-pod.ts'
import { isOnLostNode } from '../../diagnosis/pods/pod-problem.ts'
import type { KubeObject } from '../../../../shared/kube/kube-object.ts'
import { isOfPlane } from '../../context/object-names.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { claimOf } from './remove-volumes.ts'
import { waitForComponent } from '../../workloads/wait-for-component.ts'

/**
 * Deletes the volume claim and the pod of a member, and waits until both are gone: the host creates both again.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when etcd cannot run, `TIMED_OUT`.
 */
export async function emptyMember(context: ChangeContext, name: string): Promise<void> {
  const { host, journal, operation, place } = context
  const { signal } = operation
  const { namespace } = place
  const claim = objectPath('persistentvolumeclaims', { name: claimOf(name), namespace })
  const pod = objectPath('pods', { name, namespace })
  const old = new Map<string, KubeObject>()
  for (const path of journal.record.spec.ephemeral ? [pod] : [claim, pod]) {
    const found = await host.api.get(path, { signal })
    if (found !== undefined && isOfPlane(found, place.name)) {
      old.set(path, found)
      // No kubelet would end a pod on a lost node, and no other pod uses its data.
      const graceSeconds = isPod(found) && isOnLostNode(found) ? 0 : undefined
      await host.api.delete(path, { signal, uid: found.metadata.uid, graceSeconds })
    }
  }
  await waitForComponent(context, {
    component: 'etcd',
    what: `the end of what ${name} had`,
    pods: [],
    check: async (deadline) => {
      const left = [...old].map(async ([path, { metadata }]) => {
        const found = await host.api.get(path, { signal: deadline })
        return found?.metadata.uid === metadata.uid
      })
      return !(await Promise.all(left)).includes(true)
    },
  })
}
