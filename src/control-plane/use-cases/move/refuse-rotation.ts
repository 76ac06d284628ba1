import { VplaneError } from '../../../shared/errors.ts'
import type { ResolvedPlane } from '../find/resolve-plane.ts'
import { unfinishedRotations } from '../find/unfinished-rotations.ts'

/**
 * Refuses to move a plane that trusts two CAs or keys for a while: only one of them would go with it.
 *
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
