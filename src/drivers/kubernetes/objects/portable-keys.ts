import { keptFiles } from '../../../pki/plane/kept-files.ts'
import { keptKeys } from './kept-keys.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'

/** The keys and CA certificates by which others know a plane, by the names of their files. */
export async function planeKeys(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  return keptFiles(await keptKeys(api, place, signal))
}
