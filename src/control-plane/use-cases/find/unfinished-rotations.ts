import {
  ROTATED_KEYS,
  type RotatedKeys,
  type RotationStage,
  stagesAhead,
} from '../../rotation/rotation.ts'
import type { ResolvedPlane } from './resolve-plane.ts'

/** A rotation of some keys of a plane that has begun and is not complete. */
export interface UnfinishedRotation {
  keys: RotatedKeys
  /** The stage that comes next. */
  next: RotationStage
  /** That stage was begun and cut off: nothing else is rotated before it is done. */
  isCutOff: boolean
}

/** The rotations of a plane that are between two stages, or in the midst of one. Changes nothing. */
export async function unfinishedRotations({
  driver,
  plane,
}: ResolvedPlane): Promise<UnfinishedRotation[]> {
  const found = await Promise.all(
    ROTATED_KEYS.map(async (keys) => {
      const { taken, unfinished } = await driver.certificates.rotation(plane, keys)
      const isCutOff = unfinished?.keys === keys
      const [next] = stagesAhead({ ...(taken && { taken }), ...(isCutOff && { unfinished }) })
      const isInProgress = taken !== undefined || isCutOff
      return isInProgress && next !== undefined ? [{ keys, next, isCutOff }] : []
    }),
  )
  return found.flat()
}
