import type { ArchivedFile } from '../../../shared/files/tar.ts'
import { formatYaml } from '../../../shared/yaml/yaml.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import { planeInventory } from '../namespace/inventory.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { eventsAbout } from './plane-events.ts'
import { shownObject } from './shown-object.ts'

/**
 * Returns every object of a plane as a file, without the content of Secrets, and the events about them. The host
 * objects of pods in the plane are left out: they belong to its users.
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
