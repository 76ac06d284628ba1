import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { etcdCluster } from '../../etcd/members/etcd-cluster.ts'
import { claimLease } from '../../kube/lease/claim-lease.ts'
import { LEASE_TIMES } from '../../kube/lease/lease-object.ts'
import { lockName, objectLabels } from '../../manifests/object-names.ts'
import { peerUrlOf } from '../../manifests/pod-layout.ts'
import type { Duty } from '../duties/duty.ts'
import { membersInPods } from './etcd-in-pods.ts'
import type { PodWorld } from './pod-world.ts'
import { etcdMembers } from '../members/etcd-members.ts'

/** How long the keeper waits for the plane's Lease, in milliseconds: longer than an abandoned Lease lasts. */
const LEASE_TIMEOUT_MS = 20_000

/** How the Lease is held for members: by this pod. */
const OWN = `members_${hostname()}`

/** The members of etcd of a plane. */
export function podMembers({ files, host, namespace, now, report, settings }: PodWorld): Duty {
  const { etcdMembers: count, name: plane } = settings
  const place = { name: plane, namespace }
  return etcdMembers({
    host,
    place,
    count,
    openCluster: async () =>
      etcdCluster({
        what: `etcd of "${plane}"`,
        count: () => count,
        at: membersInPods(place, await files()),
        peerUrl: (ordinal) => peerUrlOf(place, ordinal),
      }),
    hold: async (signal) => {
      const claim = {
        metadata: { name: lockName(plane), namespace, labels: objectLabels(plane) },
        holder: `${OWN}_${process.pid}_${randomUUID()}`,
        // A pod runs one keeper, and pods of the same name never run at the same time. Other duties hold it with other names.
        isDead: (holder: string) => holder.startsWith(`${OWN}_`),
        purpose: { what: `replacing members of etcd of "${plane}"` },
        now,
        times: LEASE_TIMES,
      }
      const timeout = AbortSignal.timeout(LEASE_TIMEOUT_MS)
      try {
        return await claimLease(host, claim, AbortSignal.any([signal, timeout]))
      } catch (error) {
        if (signal.aborted || !timeout.aborted) {
          throw error
        }
        return undefined
      }
    },
    report,
    now,
  })
}
