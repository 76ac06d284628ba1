import type { Plane } from './plane.ts'

/** Whether a plane has paused itself, and any client that connects to its address starts it again. */
export function isWokenByAny({
  desired,
  idleSince,
  spec: { wake },
}: Pick<Plane, 'desired' | 'spec'> & { idleSince?: Date | string | undefined }): boolean {
  return desired === 'paused' && idleSince !== undefined && wake?.by === 'any'
}
