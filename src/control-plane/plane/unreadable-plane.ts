import type { Plane, PlaneReference } from './plane.ts'

/** A plane whose stored state cannot be read; only listing and deletion work. */
export interface UnreadablePlane extends PlaneReference {
  reason: string
  /** It was deleted and its data was kept, so that `create` can adopt the data. @default false */
  isKept?: boolean
}

/** Whether the stored state of a plane could be read. */
export function isReadable(plane: Plane | UnreadablePlane): plane is Plane {
  return 'spec' in plane
}
