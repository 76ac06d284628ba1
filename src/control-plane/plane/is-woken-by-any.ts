import { canSharePorts } from '../../shared/network/ports.ts'
import type { PlaneSpec } from '../spec/spec.ts'

/** Whether any client wakes a plane of this spec when it has paused itself; not where programs cannot share a port. */
export function wakesForAny({ wake }: Pick<PlaneSpec, 'wake'>): boolean {
  return wake?.by === 'any' && canSharePorts()
}

/** Whether a plane has paused itself, and any client that connects to its address starts it again. */
export function isWokenByAny({
  desired,
  idleSince,
  spec,
}: {
  desired: 'running' | 'paused'
  idleSince?: Date | string | undefined
  spec: Pick<PlaneSpec, 'wake'>
}): boolean {
  return desired === 'paused' && idleSince !== undefined && wakesForAny(spec)
}
