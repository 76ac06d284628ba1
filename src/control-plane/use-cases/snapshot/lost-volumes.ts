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

/** @throws {VplaneError} `CONFLICT` naming the claims that would be deleted and were not shown. */
export function refuseUnshownVolumes(
  name: string,
  { found, shown }: Record<'found' | 'shown', readonly PodVolume[]>,
): void {
  const known = new Set(shown.map(({ uid }) => uid))
  const unshown = found.filter(({ uid }) => !known.has(uid))
  if (unshown.length > 0) {
    const volumes = namesOfVolumes(unshown)
    const message = `pods of "${name}" have got volumes since its move was shown, and it would delete them: ${volumes}`
    throw new VplaneError('CONFLICT', message)
  }
}
