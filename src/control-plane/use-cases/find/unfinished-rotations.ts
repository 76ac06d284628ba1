import { VplaneError } from '../../../shared/errors.ts'
import {
  ROTATED_KEYS,
  type RotatedKeys,
  type RotationStage,
  stagesAhead,
} from '../../rotation/rotation.ts'
import type { ResolvedPlane } from './resolve-plane.ts'

export interface UnfinishedRotation {
  keys: RotatedKeys
  next: RotationStage
  /** That stage was interrupted: nothing else can be rotated before it is finished. */
  isCutOff: boolean
}

/** Returns the rotations of a plane that are between two stages, or within one. Changes nothing. */
export async function unfinishedRotations(found: ResolvedPlane): Promise<UnfinishedRotation[]> {
  const { driver, plane } = found
  const rotations = await Promise.all(
    ROTATED_KEYS.map(async (keys) => {
      const { taken, unfinished } = await driver.certificates.rotation(plane, keys)
      const isCutOff = unfinished?.keys === keys
      const [next] = stagesAhead({ ...(taken && { taken }), ...(isCutOff && { unfinished }) })
      const isInProgress = taken !== undefined || isCutOff
      return isInProgress && next !== undefined ? [{ keys, next, isCutOff }] : []
    }),
  )
  return rotations.flat()
}

/**
 * Only one of two trusted CAs or keys would move with a plane.
 * @throws {VplaneError} `FAILED` with the command that completes the rotation.
 */
export async function refuseRotation(found: ResolvedPlane): Promise<void> {
  const { plane } = found
  const rotations = await unfinishedRotations(found)
  const first = rotations.find(({ isCutOff }) => isCutOff) ?? rotations[0]
  if (first !== undefined) {
    throw new VplaneError('FAILED', `keys of "${plane.name}" are being rotated`, {
      hints: [{ action: `rotate-${first.keys}`, plane, stage: 'complete' }],
    })
  }
}
