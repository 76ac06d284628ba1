import type { EtcdCluster } from '../../../../etcd/members/etcd-cluster.ts'
import { memberName } from '../../../../manifests/pod-layout.ts'
import { VplaneError } from '../../../../shared/errors.ts'
import { collectionPath, objectPath } from '../../../../shared/kube/collections.ts'
import { componentSelector, isOfPlane } from '../../context/object-names.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { retryTransient } from './change-member.ts'
import { waitForComponent } from '../../workloads/wait-for-component.ts'
import { isPod } from '../../host/host-pod.ts'
import { isOnLostNode } from '../../diagnosis/pods/pod-problem.ts'
import type { KubeObject } from '../../../../shared/kube/kube-object.ts'

/** Returns the name of the volume claim of a member of etcd. */
export function claimOf(member: string): string {
  return `data-${member}`
}

/**
 * Deletes the volume claim of one ordinal if it exists, and waits until it is gone.
 * @throws {VplaneError} `FAILED` when etcd has a member of that ordinal, with a vote or without; `TIMED_OUT`.
 */
export async function removeVolume(
  context: ChangeContext,
  cluster: EtcdCluster,
  ordinal: number,
): Promise<void> {
  const { host, operation, place } = context
  const { signal, ui } = operation
  const member = memberName(place.name, ordinal)
  const claim = claimOf(member)
  const path = objectPath('persistentvolumeclaims', { name: claim, namespace: place.namespace })
  const found = await host.api.get(path, { signal })
  if (found === undefined || !isOfPlane(found, place.name)) {
    return
  }
  if (
    (await retryTransient(context, member, () => cluster.member(ordinal, signal))) !== undefined
  ) {
    throw new VplaneError('FAILED', `${member} is a member of etcd: its volume "${claim}" stays`, {
      hints: [{ action: 'repair', plane: place }],
    })
  }
  ui.step(`Removing the volume ${claim}`)
  const { uid } = found.metadata
  await host.api.delete(path, { signal, uid })
  await waitForComponent(context, {
    component: 'etcd',
    what: `the end of the volume ${claim}`,
    check: async (deadline) =>
      (await host.api.get(path, { signal: deadline }))?.metadata.uid !== uid,
  })
}

/** Returns the ordinals from `count` to `most` that have a volume claim, also after an interrupted command. */
export async function surplusVolumes(
  { host, operation, place }: ChangeContext,
  { count, most }: { count: number; most: number },
): Promise<number[]> {
  const path = collectionPath('persistentvolumeclaims', place.namespace)
  const labelSelector = componentSelector(place.name, 'etcd')
  const { items } = await host.api.list(path, { labelSelector, signal: operation.signal })
  const names = new Set(items.map(({ metadata }) => metadata.name))
  return Array.from({ length: most }, (_, ordinal) => ordinal).filter(
    (ordinal) => ordinal >= count && names.has(claimOf(memberName(place.name, ordinal))),
  )
}

/**
 * Deletes the volume claim and the pod of a member, and waits until both are gone: the host creates both again.
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
