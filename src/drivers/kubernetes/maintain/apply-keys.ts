import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { applyObjects } from '../host/apply-objects.ts'
import type { PlaneFiles } from '../objects/plane-keys.ts'
import { planeObjects } from '../objects/plane-objects.ts'

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
