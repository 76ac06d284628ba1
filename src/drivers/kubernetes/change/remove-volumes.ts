import { MOST_MEMBERS } from '../../../etcd/etcd-cluster.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import { collectionPath } from '../collections.ts'
import { componentSelector } from '../object-names.ts'
import type { ChangeContext } from './change-context.ts'
import { waitForComponent } from './wait-for-component.ts'

/** The name of the volume claim of a member of etcd. */
export function claimOf(member: string): string {
  return `data-${member}`
}

/** Removes the volumes of members that etcd has no more: those of `from` on. Whoever calls knows that none of them is used. */
export async function removeVolumes(context: ChangeContext, from: number): Promise<void> {
  const { host, operation, place } = context
  const { name, namespace } = place
  const path = collectionPath('persistentvolumeclaims', namespace)
  const names = Array.from({ length: MOST_MEMBERS - from }, (_, index) =>
    claimOf(memberName(name, from + index)),
  )
  const list = async (signal: AbortSignal) => {
    const labelSelector = componentSelector(name, 'etcd')
    const { items } = await host.api.list(path, { labelSelector, signal })
    return items.filter(({ metadata }) => names.includes(metadata.name ?? ''))
  }
  const { signal } = operation
  for (const { metadata } of await list(signal)) {
    operation.ui.step(`Removing the volume ${metadata.name}`)
    const { uid } = metadata
    await host.api.delete(`${path}/${metadata.name}`, {
      signal,
      ...(uid === undefined ? {} : { uid }),
    })
  }
  await waitForComponent(context, {
    component: 'etcd',
    what: 'the end of volumes that are not used any more',
    look: async (deadline) => (await list(deadline)).length === 0,
  })
}
