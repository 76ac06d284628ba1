import { renewDueLeaves } from '../../drivers/kubernetes/certificates/renew-plane-leaves.ts'
import type { Duty } from '../duties/duty.ts'
import { LeafRenewal } from '../duties/leaf-renewal.ts'
import { podMembers } from './pod-members.ts'
import { podBackups } from './pod-backups.ts'
import { podIdle } from './pod-idle.ts'
import { podWatch } from './pod-watch.ts'
import { PKI_FOLDER, type PodWorld } from './pod-world.ts'
import { readCertificates } from './read-certificates.ts'

/** What a keeper in a pod does for its plane. */
export function podDuties(world: PodWorld): Duty[] {
  const { backup, hasEphemeralMembers, idle, renews } = world.settings
  const backups = backup && podBackups(world, backup)
  const renewal = renews ? podRenewal(world) : undefined
  return [
    podWatch(world, {
      ...(backups === undefined ? {} : { backup: backups.status }),
      renewal: () => (renewal === undefined ? {} : renewal.status),
    }),
    ...(backups === undefined ? [] : [backups]),
    ...(idle === undefined ? [] : [podIdle(world, idle)]),
    ...(renewal === undefined ? [] : [renewal]),
    ...(hasEphemeralMembers ? [podMembers(world)] : []),
  ]
}

/** Renews certificates of the plane beside which this pod runs. */
function podRenewal({ host, namespace, now, report, settings }: PodWorld): LeafRenewal {
  const { plane: name, planeId: id } = settings
  const options = { id, place: { name, namespace }, now }
  return new LeafRenewal({
    certificates: () => readCertificates(PKI_FOLDER),
    renew: (signal) => renewDueLeaves(host, options, signal),
    report,
    now,
  })
}
