import type { HostApi } from '../host-api.ts'
import type { PlacedName } from '../object-names.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { applyObjects } from './apply-objects.ts'
import type { PlaneFiles } from './plane-keys.ts'
import { planeObjects } from './plane-objects.ts'

export interface ApplyKeysOptions {
  place: PlacedName
  record: PlaneRecord
  /** All keys and certificates of the plane. */
  files: PlaneFiles
  /** Name of the one Secret that is meant. @default all */
  only?: string
  signal: AbortSignal
}

/**
 * Puts other certificates into the Secrets of a plane, and changes nothing else: its pods read them again by themselves.
 *
 * @throws {VplaneError} as `applyObjects` does.
 */
export async function applyKeys(
  api: Pick<HostApi, 'apply'>,
  { files, only, place, record, signal }: ApplyKeysOptions,
): Promise<void> {
  const { needed } = planeObjects(place, record, files)
  await applyObjects(
    api,
    needed.filter(
      ({ kind, metadata }) => kind === 'Secret' && (only ?? metadata.name) === metadata.name,
    ),
    signal,
  )
}
