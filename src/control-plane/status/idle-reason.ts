import type { PlaneStatus } from './plane-status.ts'

/** Why a plane rests that paused itself; nothing of one that somebody paused. */
export function idleReason(idleSince: string | undefined): Pick<PlaneStatus, 'reason'> {
  return idleSince === undefined
    ? {}
    : { reason: `nobody has used it since ${idleSince}; any use of its context starts it` }
}
