import type { ArchivedFile } from '../../../shared/files/tar.ts'
import { formatYaml } from '../../../shared/yaml/yaml.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import { planeInventory } from '../namespace/inventory.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { eventsAbout } from './plane-events.ts'
import { shownObject } from './shown-object.ts'

/**
 * Every object of a plane in its host namespace as a file, without what Secrets hold, and what the host noted about them.
 * What pods of the plane are made of is left out: it is its users', and in the plane.
 *
 * @throws {VplaneError} what the host refuses.
 */
export async function debugFiles(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  { collections = [], signal }: Pick<PlaneRecord, 'collections'> & { signal: AbortSignal },
): Promise<ArchivedFile[]> {
  const found = await planeInventory(api, place, { isSynced: false, collections, signal })
  const objects = found.map(({ object, path }) => {
    const kind = path.split('/').at(-2) ?? ''
    return {
      path: `host/${kind}/${object.metadata.name}.yaml`,
      text: formatYaml(shownObject(object)),
    }
  })
  const events = await eventsAbout(api, place, signal)
  const text = events.map((event) => `${JSON.stringify(shownObject(event))}\n`).join('')
  return [...objects, { path: 'host/events.jsonl', text }]
}
