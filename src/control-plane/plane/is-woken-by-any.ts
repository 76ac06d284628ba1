import { canSharePorts } from '../../shared/network/ports.ts'
import type { PlaneSpec } from '../spec/spec.ts'

interface PausedPlane {
  desired: 'running' | 'paused'
  idleSince?: Date | string | undefined
  neverStarted?: boolean | undefined
  spec: Pick<PlaneSpec, 'wake'>
}

/** Whether any client wakes a plane of this spec when it sleeps; not where programs cannot share a port. */
export function wakesForAny({ wake }: PausedPlane['spec']): boolean {
  return wake?.by === 'any' && canSharePorts()
}

/** Whether any client that connects to its address starts a plane: it has paused itself, or was never started. */
export function isWokenByAny({ desired, idleSince, neverStarted, spec }: PausedPlane): boolean {
  const isAsleep = idleSince !== undefined || neverStarted === true
  return desired === 'paused' && isAsleep && wakesForAny(spec)
}
