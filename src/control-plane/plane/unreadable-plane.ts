import type { Plane, PlaneReference } from './plane.ts'

/** A plane whose stored state cannot be read; it can be listed and deleted, nothing else. */
export interface UnreadablePlane extends PlaneReference {
  reason: string
  /** It was deleted and its data kept: create makes it again of that. @default false */
  isKept?: boolean
}

/** Tells a plane that can be worked with from one that can only be removed. */
export function isReadable(plane: Plane | UnreadablePlane): plane is Plane {
  return 'spec' in plane
}
