import { objectPath } from '../../../../shared/kube/collections.ts'
import { isPod } from '../../host/host-pod.ts'
import { isOnLostNode } from '../../diagnosis/pods/pod-problem.ts'
import type { KubeObject } from '../../../../shared/kube/kube-object.ts'
import { isOfPlane } from '../../context/object-names.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { claimOf } from './remove-volumes.ts'
import { waitForComponent } from '../../workloads/wait-for-component.ts'

/**
 * Takes the volume and the pod of a member away: the host makes both anew, the pod when the volume has gone with it.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when etcd cannot run, `TIMED_OUT`.
 */
export async function emptyMember(context: ChangeContext, name: string): Promise<void> {
  const { host, journal, operation, place } = context
  const { signal } = operation
  const { namespace } = place
  const resources = ['persistentvolumeclaims', 'pods'] as const
  const paths = resources
    .filter((resource) => resource === 'pods' || !journal.record.spec.ephemeral)
    .map((resource) => {
      const own = resource === 'pods' ? name : claimOf(name)
      return objectPath(resource, { name: own, namespace })
    })
  const old = new Map<string, KubeObject>()
  for (const path of paths) {
    const found = await host.api.get(path, { signal })
    if (found !== undefined && isOfPlane(found, place.name)) {
      old.set(path, found)
      const { uid } = found.metadata
      await host.api.delete(path, {
        signal,
        ...(uid === undefined ? {} : { uid }),
        // Nobody would end it there, and its data is its own.
        ...(isPod(found) && isOnLostNode(found) ? { graceSeconds: 0 } : {}),
      })
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
