import { isRecord } from '../../../kube/kube-object.ts'
import type { ArchivedFile } from '../../../shared/tar.ts'
import { formatYaml } from '../../../shared/yaml.ts'
import { collectionPath } from '../collections.ts'
import type { HostApi, HostObject } from '../host-api.ts'
import type { PlacedName } from '../object-names.ts'
import { planeInventory } from '../remove/inventory.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

/** Longer values, such as the syncer's code, are named and left out. */
const MAX_LENGTH = 20_000

/**
 * Every object of a plane in its host namespace as a file, without what Secrets hold, and what the host notes there. What
 * pods of the plane are made of is left out: it is its users', and in the plane.
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
    return { path: `host/${kind}/${object.metadata.name}.yaml`, text: formatYaml(shown(object)) }
  })
  const events = await api.list(collectionPath('events', place.namespace), { signal })
  const text = events.items.map((event) => `${JSON.stringify(shown(event))}\n`).join('')
  return [...objects, { path: 'host/events.jsonl', text }]
}

/** An object without secrets, without what only its managers care about, and without what is very long. */
function shown({ binaryData, data, metadata, ...object }: HostObject): Record<string, unknown> {
  const { managedFields: _, ...rest } = metadata
  const isSecret = object['kind'] === 'Secret'
  return {
    ...object,
    metadata: rest,
    ...values('data', data, (value) => isSecret || String(value).length > MAX_LENGTH),
    ...values('binaryData', binaryData, () => true),
  }
}

/** A field with named values, of which some are named alone. */
function values(field: string, held: unknown, isLeftOut: (value: unknown) => boolean): object {
  if (!isRecord(held)) {
    return {}
  }
  const entries = Object.entries(held).map(([key, value]) => [
    key,
    isLeftOut(value) ? `(${String(value).length} characters, left out)` : value,
  ])
  return { [field]: Object.fromEntries(entries) }
}
