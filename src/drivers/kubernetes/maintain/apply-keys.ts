import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { applyObjects } from '../host/apply-objects.ts'
import type { PlaneFiles } from '../objects/plane-keys.ts'
import { planeObjects } from '../objects/plane-objects.ts'

export interface ApplyKeysOptions {
  place: PlacedName
  record: PlaneRecord
  files: PlaneFiles
  /** Name of the only Secret to apply. @default all */
  only?: string
  signal: AbortSignal
}

/** Applies the Secrets of a plane with other keys and certificates; its pods reload them. */
export async function applyKeys(
  api: Pick<HostApi, 'apply'>,
  { files, only, place, record, signal }: ApplyKeysOptions,
): Promise<void> {
  const secrets = planeObjects(place, record, files).needed.filter(
    ({ kind, metadata }) => kind === 'Secret' && (only ?? metadata.name) === metadata.name,
  )
  await applyObjects(api, secrets, signal)
}
