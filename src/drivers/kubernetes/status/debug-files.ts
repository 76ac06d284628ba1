import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { ArchivedFile } from '../../../shared/files/tar.ts'
import { formatYaml } from '../../../shared/yaml/yaml.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import { planeInventory } from '../namespace/inventory.ts'
import { keeperParts } from '../keeper/keeper-parts.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { eventsAbout } from './plane-events.ts'
import { isRecord } from '../../../shared/json-fields.ts'

/** Longer values, such as the code of the syncer, are left out. */
const MAX_LENGTH = 20_000

/** kubectl repeats the object in this annotation: of a Secret with its content. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Names of variables whose values may be secret. */
const TELLING = /token|secret|passw|credential|key/i

/**
 * Returns every object of a plane and of its keeper as a file, without the content of Secrets, and the events about them. The host
 * objects of pods in the plane are left out: they belong to its users.
 */
export async function debugFiles(
  api: Pick<HostApi, 'list'>,
  place: PlacedName,
  {
    collections = [],
    signal,
    spec,
  }: Pick<PlaneRecord, 'collections' | 'spec'> & { signal: AbortSignal },
): Promise<ArchivedFile[]> {
  const found = [
    ...(await planeInventory(api, place, { isSynced: false, collections, signal })),
    ...(spec.host?.keeper === undefined ? [] : await keeperParts(api, place.namespace, signal)),
  ]
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

/**
 * Leaves out secrets, managed fields and very long values. Of a Secret it keeps the keys, and only the annotations of
 * vplane, because others may repeat its content.
 */
export function shownObject({
  binaryData,
  data,
  metadata,
  stringData,
  ...object
}: KubeObject): Record<string, unknown> {
  const { annotations, managedFields: _, ...rest } = metadata
  const isSecret = object['kind'] === 'Secret'
  const isSecretOrLong = (value: unknown) => isSecret || String(value).length > MAX_LENGTH
  const isForeign = (_value: unknown, name: string) =>
    name === LAST_APPLIED || (isSecret && !name.startsWith('vplane.dev/'))
  const shown = {
    ...object,
    metadata: { ...rest, ...values('annotations', annotations, isForeign) },
    ...values('data', data, isSecretOrLong),
    ...values('stringData', stringData, isSecretOrLong),
    ...values('binaryData', binaryData, () => true),
  }
  return Object.fromEntries(
    Object.entries(shown).map(([field, value]) => [field, withoutVariables(value)]),
  )
}

function values(
  field: string,
  held: unknown,
  isLeftOut: (value: unknown, name: string) => boolean,
): object {
  if (!isRecord(held)) {
    return {}
  }
  const entries = Object.entries(held).map(([name, value]) => [
    name,
    isLeftOut(value, name) ? leftOut(value) : value,
  ])
  return { [field]: Object.fromEntries(entries) }
}

/** Names of environment variables may indicate a secret. */
function withoutVariables(value: unknown, isVariable = false): unknown {
  if (Array.isArray(value)) {
    return value.map((one) => withoutVariables(one, isVariable))
  }
  if (!isRecord(value)) {
    return value
  }
  return Object.fromEntries(
    Object.entries(value).map(([field, held]) => [
      field,
      isVariable && field === 'value' && TELLING.test(String(value['name']))
        ? leftOut(held)
        : withoutVariables(held, field === 'env'),
    ]),
  )
}

function leftOut(value: unknown): string {
  return `(${String(value).length} characters, left out)`
}
