import type { Duty } from '../duties/duty.ts'
import { podMembers } from './pod-members.ts'
import { podBackups } from './pod-backups.ts'
import { podIdle } from './pod-idle.ts'
import { podRenewal } from './pod-renewal.ts'
import { podWatch } from './pod-watch.ts'
import type { PodWorld } from './pod-world.ts'

/** What a keeper in a pod does for its plane. */
export function podDuties(world: PodWorld): Duty[] {
  const { backup, hasPassingMembers, idle, renews } = world.settings
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
    ...(hasPassingMembers ? [podMembers(world)] : []),
  ]
}
