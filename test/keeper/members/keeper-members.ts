import { hostedCluster } from '../../../src/drivers/kubernetes/etcd/hosted-etcd.ts'
import { storedKeys } from '../../../src/drivers/kubernetes/objects/stored-keys.ts'
import type { KeeperEvent } from '../../../src/keeper/duties/duty.ts'
import { memberFiles } from '../../../src/drivers/kubernetes/etcd/members/member-files.ts'
import { memberPods } from '../../../src/keeper/members/member-pods.ts'
import {
  type MembersDependencies,
  PlaneMembers,
} from '../../../src/keeper/members/plane-members.ts'
import { memberName } from '../../../src/manifests/pod-layout.ts'
import { type illPlane, PLACE } from '../../drivers/kubernetes/repair/ill-plane.ts'

/** The path of the configuration files of the members of an `illPlane`. */
export const CONFIGURATION = '/api/v1/namespaces/team-a/configmaps/vplane-dev-etcd'

const { signal } = new AbortController()

/** The duty of a keeper for the members of an `illPlane`. */
export async function keeperMembers(
  { cluster, etcd }: Pick<Awaited<ReturnType<typeof illPlane>>, 'cluster' | 'etcd'>,
  { count, hold }: { count: 3 | 5; hold: MembersDependencies['hold'] },
) {
  const { api } = cluster
  const { forward } = etcd
  const files = await storedKeys(api, PLACE, signal)
  const events: KeeperEvent[] = []
  const nameOf = (ordinal: number) => memberName(PLACE.name, ordinal)
  const now = () => new Date()
  const members = new PlaneMembers(
    { plane: PLACE.name, nameOf, count },
    {
      openCluster: async () => hostedCluster({ forward }, PLACE, { files, count: () => count }),
      pods: memberPods(api, { namespace: PLACE.namespace, nameOf, now }),
      files: memberFiles(api, { path: CONFIGURATION, nameOf }),
      hold,
      report: (event) => events.push(event),
      now,
    },
  )
  return { events, reconcile: () => members.reconcile(signal) }
}
