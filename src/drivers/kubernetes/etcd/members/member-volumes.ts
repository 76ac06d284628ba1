import type { HostApi } from '../../host/host-api.ts'
import { isPod } from '../../host/host-pod.ts'
import { memberName } from '../../../../manifests/pod-layout.ts'
import { collectionPath, objectPath } from '../../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../../shared/kube/kube-object.ts'
import { componentSelector, isOfPlane, type PlacedName } from '../../context/object-names.ts'
import { isOnLostNode } from '../../diagnosis/pods/pod-problem.ts'
import type { ChangeContext } from '../../objects/change-context.ts'
import { waitForComponent } from '../../workloads/wait-for-component.ts'

/** Returns the name of the volume claim of a member of etcd. */
export function claimOf(member: string): string {
  return `data-${member}`
}

/** Returns the ordinal at the end of the name of a pod or a claim of etcd; -1 if there is none. */
export function ordinalOf(name: string | undefined): number {
  return Number(/-(\d+)$/.exec(name ?? '')?.[1] ?? -1)
}

/** Lists the volume claims of the members of etcd. */
export async function listClaims(
  api: Pick<HostApi, 'list'>,
  { name, namespace }: PlacedName,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const labelSelector = componentSelector(name, 'etcd')
  const path = collectionPath('persistentvolumeclaims', namespace)
  const { items } = await api.list(path, { labelSelector, signal })
  return items.filter(
    ({ metadata }) => metadata.name === claimOf(memberName(name, ordinalOf(metadata.name))),
  )
}

/**
 * Deletes exactly this volume claim of etcd. All deletions of a plane that continues to exist are made here.
 * @throws {VplaneError} `CONFLICT` when another claim has its name now.
 */
export async function deleteClaim(
  api: Pick<HostApi, 'delete'>,
  { name, namespace, uid }: { name: string; namespace: string; uid: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  await api.delete(objectPath('persistentvolumeclaims', { name, namespace }), { uid, signal })
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
