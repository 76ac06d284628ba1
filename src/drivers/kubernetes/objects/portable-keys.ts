import { portableFiles } from '../../../pki/plane/portable-files.ts'
import { storedKeys } from './stored-keys.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'

/** The keys and CA certificates by which others know a plane, by the names of their files. */
export async function planeKeys(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  return portableFiles(await storedKeys(api, place, signal))
}
