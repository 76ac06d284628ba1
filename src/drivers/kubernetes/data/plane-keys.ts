import { keptFiles } from '../../../pki/kept-files.ts'
import { keptKeys } from '../create/kept-keys.ts'
import type { HostApi } from '../host-api.ts'
import type { PlacedName } from '../object-names.ts'

/** The keys and CA certificates by which others know a plane, by the names of their files. */
export async function planeKeys(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  return keptFiles(await keptKeys(api, place, signal))
}
