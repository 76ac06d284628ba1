import { unlessStatus } from '../../../kube/kube-error.ts'
import { keptAs } from '../../../manifests/keeper-settings.ts'
import type { Kept } from '../../../control-plane/plane/kept.ts'
import { type PlacedName, settingsPath } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'

/** Writes to the settings of a plane, if it has some, whether it needs the keeper of its namespace now. */
export async function setKept(
  api: Pick<HostApi, 'patch'>,
  place: PlacedName,
  { kept, signal }: { kept: Kept; signal: AbortSignal },
): Promise<void> {
  await unlessStatus([404], api.patch(settingsPath(place), keptAs(kept), { type: 'merge', signal }))
}
