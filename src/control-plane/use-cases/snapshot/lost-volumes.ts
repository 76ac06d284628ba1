import { VplaneError } from '../../../shared/errors.ts'
import type { PodVolume } from '../../driver/plane-pods.ts'

/** Volume claims by name, as they read in a sentence. */
export function namesOfVolumes(volumes: readonly PodVolume[]): string {
  return volumes.map(({ name }) => name).join(', ')
}

/**
 * Refuses to go on where what lies on volumes of pods would not be there afterwards, unless that is wanted.
 *
 * @throws {VplaneError} `USAGE` naming the claims.
 */
export function refuseLostVolumes(
  name: string,
  volumes: readonly PodVolume[],
  withoutVolumes: boolean,
): void {
  if (volumes.length > 0 && !withoutVolumes) {
    throw new VplaneError(
      'USAGE',
      `no snapshot of "${name}" holds what lies on the volumes of its pods: ${namesOfVolumes(volumes)}`,
      {
        hints: [
          'copy what is needed of it first, such as with kubectl cp',
          {
            purpose: 'to continue without it: claims are Lost, and empty when made again',
            withoutVolumes: true,
          },
        ],
      },
    )
  }
}
