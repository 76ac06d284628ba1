import { memberFiles } from '../../drivers/kubernetes/etcd/members/member-files.ts'
import type { PlacedName } from '../../drivers/kubernetes/context/object-names.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { objectName } from '../../manifests/object-names.ts'
import { memberName } from '../../manifests/pod-layout.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { Duty } from '../duties/duty.ts'
import { memberPods } from './member-pods.ts'
import { type MembersDependencies, PlaneMembers } from './plane-members.ts'

export interface EtcdMembersOptions extends Omit<MembersDependencies, 'files' | 'pods'> {
  host: KubeClient
  place: PlacedName
  /** The wanted number of members. */
  count: number
}

/** Replaces the members of etcd of a plane in a host namespace that lost their data with their pods. */
export function etcdMembers({ count, host, place, ...deps }: EtcdMembersOptions): Duty {
  const { name, namespace } = place
  const nameOf = (ordinal: number) => memberName(name, ordinal)
  const path = objectPath('configmaps', { name: objectName(name, 'etcd'), namespace })
  return new PlaneMembers(
    { plane: name, nameOf, count },
    {
      ...deps,
      pods: memberPods(host, { namespace, nameOf, now: deps.now }),
      files: memberFiles(host, { path, nameOf }),
    },
  )
}
