import { isCreated, type UnfinishedKind } from './plane.ts'
import type { PlaneSpec } from '../spec/spec.ts'

interface PausedPlane {
  desired: 'running' | 'paused' | 'kept'
  idleSince?: Date | string | undefined
  neverStarted?: boolean | undefined
  unfinished?: readonly UnfinishedKind[] | undefined
  spec: Pick<PlaneSpec, 'wake'>
}

/** Whether any client wakes a plane of this spec when it sleeps. */
export function wakesForAny({ wake }: PausedPlane['spec']): boolean {
  return wake?.by === 'any'
}

/** Whether any client that connects to its address starts a plane: it is complete, and has paused itself or was never started. */
export function isWokenByAny(plane: PausedPlane): boolean {
  const { desired, idleSince, neverStarted, spec } = plane
  const isAsleep = idleSince !== undefined || neverStarted === true
  return desired === 'paused' && isAsleep && isCreated(plane) && wakesForAny(spec)
}

/** Whether the start of a plane that any client wakes has not ended: someone starts it, or that was interrupted. */
export function isBeingWoken({ desired, idleSince, spec }: PausedPlane): boolean {
  return desired === 'running' && idleSince !== undefined && wakesForAny(spec)
}
