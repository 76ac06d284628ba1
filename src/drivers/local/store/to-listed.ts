import type { UnreadablePlane } from '../../../control-plane/plane/unreadable-plane.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { toPlane } from './plane-record.ts'
import type { StoredFolder } from './plane-store.ts'

/** The domain's view of what is stored of a plane of this machine, whatever became of it. */
export function toListed({ name, record }: StoredFolder): Plane | UnreadablePlane {
  return record instanceof VplaneError
    ? { name, driver: 'local', reason: record.message }
    : toPlane(record)
}
