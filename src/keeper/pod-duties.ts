import type { Duty } from './duty.ts'
import { podMembers } from './members/pod-members.ts'
import { podBackups } from './pod-backups.ts'
import { podIdle } from './pod-idle.ts'
import { podWatch } from './pod-watch.ts'
import type { PodWorld } from './pod-world.ts'

/** What a keeper in a pod does for its plane. */
export function podDuties(world: PodWorld): Duty[] {
  const { backup, hasPassingMembers, idle } = world.settings
  const backups = backup && podBackups(world, backup)
  return [
    podWatch(world, backups?.status),
    ...(backups === undefined ? [] : [backups]),
    ...(idle === undefined ? [] : [podIdle(world, idle)]),
    ...(hasPassingMembers ? [podMembers(world)] : []),
  ]
}
