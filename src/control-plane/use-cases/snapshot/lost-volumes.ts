import { VplaneError } from '../../../shared/errors.ts'
import type { PodVolume } from '../../driver/plane-pods.ts'

/** Formats the names of volume claims for a sentence. */
export function namesOfVolumes(volumes: readonly PodVolume[]): string {
  return volumes.map(({ name }) => name).join(', ')
}

/** @throws {VplaneError} `USAGE` naming the claims, unless the user gives their data up. */
export function refuseLostVolumes(
  name: string,
  volumes: readonly PodVolume[],
  withoutVolumes: boolean,
): void {
  if (volumes.length > 0 && !withoutVolumes) {
    const purpose = 'to continue without it: claims become Lost, and are empty when created again'
    const message = `no snapshot of "${name}" contains the data on the volumes of its pods: ${namesOfVolumes(volumes)}`
    throw new VplaneError('USAGE', message, {
      hints: [
        'copy the data that you need first, such as with kubectl cp',
        { purpose, withoutVolumes: true },
      ],
    })
  }
}
