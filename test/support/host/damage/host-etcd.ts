import { hostedCluster } from '../../../../src/drivers/kubernetes/etcd/hosted-etcd.ts'
import { storedKeys } from '../../../../src/drivers/kubernetes/objects/stored-keys.ts'
import type { PlacedName } from '../../../../src/drivers/kubernetes/context/object-names.ts'
import { changeMembership } from '../../../../src/etcd/members/change-membership.ts'
import { isTransient } from '../../../../src/etcd/members/is-transient.ts'
import { type EtcdCluster, leadingOrdinal } from '../../../../src/etcd/members/etcd-cluster.ts'
import { listMembers } from '../../../../src/etcd/members/members.ts'
import { openHostCluster } from '../../../../src/kube/host/open-host-cluster.ts'
import { processEnvironment } from '../../../../src/shared/environment.ts'
import { waitFor } from '../../../../src/shared/wait.ts'
import type { Lab } from '../../../lab/lab.ts'

const PATIENT = { timeoutMs: 60_000, intervalMs: 200 }
const { signal } = new AbortController()
const inAMinute = () => AbortSignal.timeout(PATIENT.timeoutMs)

/** The etcd of a plane in the lab, as its administrator sees it. */
export interface HostEtcd extends AsyncDisposable {
  cluster: EtcdCluster
  /** The names of its members, as the first one knows them; a member that has not started yet has none. */
  members(): Promise<string[]>
  leader(): Promise<number | undefined>
  /** Makes the member of an ordinal the leader. */
  lead(ordinal: number): Promise<void>
  /** Removes the member of an ordinal, with its vote. */
  remove(ordinal: number): Promise<void>
}

/** @param count how many members it has at most */
export async function openHostEtcd(
  lab: Pick<Lab, 'kubeconfigPath'>,
  place: PlacedName,
  count: number,
): Promise<HostEtcd> {
  await using stack = new AsyncDisposableStack()
  const environment = processEnvironment()
  const host = stack.use(await openHostCluster({ files: [lab.kubeconfigPath], environment }))
  const files = await storedKeys(host.api, place, signal)
  const cluster = hostedCluster(host, place, { files, count: () => count })
  const idOf = (ordinal: number) =>
    waitFor(
      async () => (await cluster.probe(signal)).members?.find((one) => one.ordinal === ordinal)?.id,
      { what: `member ${ordinal} in the list of etcd`, ...PATIENT },
    )
  const owned = stack.move()
  return {
    cluster,
    members: () => waitFor(() => namesOf(cluster), { what: 'the members of etcd', ...PATIENT }),
    leader: async () => leadingOrdinal(await cluster.probe(signal)),
    lead: async (ordinal) => {
      const from = leadingOrdinal(await cluster.probe(signal)) ?? 0
      const id = await idOf(ordinal)
      await changeMembership(cluster, { kind: 'move-leader', from, id }, inAMinute())
    },
    remove: async (ordinal) => {
      const id = await idOf(ordinal)
      await changeMembership(cluster, { kind: 'remove-member', ordinal, id }, inAMinute())
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** undefined while the members find each other. */
async function namesOf(cluster: EtcdCluster): Promise<string[] | undefined> {
  try {
    return (await listMembers(cluster.at(0), signal)).map(({ name }) => name)
  } catch (error) {
    if (!isTransient(error)) {
      throw error
    }
    return undefined
  }
}
