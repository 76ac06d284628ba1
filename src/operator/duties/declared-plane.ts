import { wakesForAny } from '../../control-plane/plane/is-woken-by-any.ts'
import { isCreated, type Plane, referenceOf } from '../../control-plane/plane/plane.ts'
import { isAsleep } from '../../control-plane/plane/recorded-plane.ts'
import { hasEphemeralMembers, needsKeeper } from '../../control-plane/spec/needs-keeper.ts'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import type { KeeperPlane } from '../../keeper/duties/keep-planes.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'

/** What is to be done for a plane. One that is `paused` is so until a user resumes it. */
type DutyState = 'asleep' | 'paused' | 'running'

/** A plane with what its duties depend on: they start again when that changes. */
export interface DeclaredPlane extends KeeperPlane {
  state: DutyState
  /** The number of its etcd members, if these store their data in their pods alone. */
  ephemeralMembers?: number
  /** If any client wakes it. */
  wake?: PlaneSpec['wake']
}

/** A plane with what its duties depend on; undefined when it has none now. */
export function toDeclaredPlane(plane: Plane): DeclaredPlane | undefined {
  const state = dutyStateOf(plane)
  const { backup, credentials, host, idle, renew, wake } = plane.spec
  return (
    state &&
    omitUndefined({
      ...referenceOf(plane),
      id: plane.id,
      state,
      spec: omitUndefined({ backup, credentials, idle, renew }),
      ephemeralMembers: hasEphemeralMembers(plane.spec) ? host?.etcd.replicas : undefined,
      wake: wakesForAny(plane.spec) ? wake : undefined,
    })
  )
}

/** The state of a plane for which something is to be done; undefined when nothing is. */
function dutyStateOf(plane: Plane): DutyState | undefined {
  const { desired, neverStarted, restoring, spec } = plane
  if (!needsKeeper(spec) || restoring !== undefined || !isCreated(plane)) {
    return undefined
  }
  if (desired === 'running' || !wakesForAny(spec)) {
    return desired === 'running' ? 'running' : undefined
  }
  const whenPaused = neverStarted === true ? undefined : 'paused'
  return isAsleep(plane) ? 'asleep' : whenPaused
}
