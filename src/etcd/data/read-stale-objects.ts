import type { LostVersion } from '../../control-plane/spec/lost-versions.ts'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import type { StaleObjects } from '../../control-plane/driver/stale-objects.ts'
import { fieldOf } from '../../shared/stored-format.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { protobufFields } from '../protobuf.ts'
import { readRange } from './read-range.ts'
import { registryRange } from './registry.ts'

/** Objects that are read at once: all of them have to fit into one text, and one may have 1.5 MiB. */
const PAGE = 200

/** Definitions that are read at once: they are large. */
const DEFINITIONS_PAGE = 20

const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions'

/** What Kubernetes' Protobuf begins with (kubernetes.io/docs/reference/using-api/api-concepts, "Kubernetes Protobuf"). */
const PROTOBUF = Buffer.from('k8s\0')

/** The first field of both: of `Unknown` it is `TypeMeta`, and of that `apiVersion`. */
const FIRST = 1

export interface ReadStaleObjectsOptions {
  spec: Pick<PlaneSpec, 'etcd'>
  /** Versions of Kubernetes' own APIs that go away. */
  lost: readonly LostVersion[]
  signal: AbortSignal
}

/** Where objects may be stored in a version that is not served. */
interface Suspect extends Omit<StaleObjects, 'count'> {
  /** Their place in etcd. */
  path: string
}

/**
 * Counts the objects that are stored in versions that go away, or that their CustomResourceDefinition does not serve.
 * Only the objects of such resources are read, page by page, and of all others not even the keys: what a plane holds
 * otherwise costs nothing, however much it is.
 *
 * @throws {VplaneError} as `postToEtcd` does.
 */
export async function readStaleObjects(
  connection: EtcdConnection,
  { lost, signal, spec }: ReadStaleObjectsOptions,
): Promise<StaleObjects[]> {
  const options = { spec, signal }
  const suspects = [...lost.map(builtIn), ...(await customSuspects(connection, options))]
  const found: StaleObjects[] = []
  for (const [path, ofPath] of Map.groupBy(suspects, ({ path }) => path)) {
    const counts = await countVersions(connection, path, options)
    for (const { path: _, ...suspect } of ofPath) {
      found.push({ ...suspect, count: counts.get(suspect.apiVersion) ?? 0 })
    }
  }
  return found.filter(({ count }) => count > 0)
}

function builtIn({ apiVersion, hasOther, resource }: LostVersion): Suspect {
  const [group] = apiVersion.split('/')
  return {
    path: resource,
    resource: `${resource}.${group}`,
    apiVersion,
    hasOther,
    isCustom: false,
  }
}

type Options = Pick<ReadStaleObjectsOptions, 'spec' | 'signal'>

/** Resources of which the status of the definition says that objects may be stored in a version that it does not serve. */
async function customSuspects(
  connection: EtcdConnection,
  { signal, spec }: Options,
): Promise<Suspect[]> {
  const suspects: Suspect[] = []
  const range = { ...registryRange(spec, DEFINITIONS), limit: DEFINITIONS_PAGE, signal }
  for await (const pairs of readRange(connection, range)) {
    suspects.push(...pairs.flatMap(({ value }) => suspectsOf(jsonOf(value))))
  }
  return suspects
}

/** The value of a stored object; undefined when it is no JSON. */
function jsonOf(value: Buffer): unknown {
  try {
    return JSON.parse(value.toString())
  } catch {
    // Encrypted, or stored by somebody else.
    return undefined
  }
}

function suspectsOf(definition: unknown): Suspect[] {
  const spec = fieldOf(definition, 'spec')
  const group = fieldOf(spec, 'group')
  const plural = fieldOf(fieldOf(spec, 'names'), 'plural')
  if (typeof group !== 'string' || typeof plural !== 'string') {
    return []
  }
  // What it stores in now it can be read from, served or not.
  const used = listOf(fieldOf(spec, 'versions'))
    .filter(
      (version) => fieldOf(version, 'served') === true || fieldOf(version, 'storage') === true,
    )
    .map((version) => fieldOf(version, 'name'))
  return listOf(fieldOf(fieldOf(definition, 'status'), 'storedVersions'))
    .filter((version) => !used.includes(version))
    .map((version) => ({
      path: `${group}/${plural}`,
      resource: `${plural}.${group}`,
      apiVersion: `${group}/${String(version)}`,
      hasOther: true,
      isCustom: true,
    }))
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** How many objects of a resource are stored in which version. */
async function countVersions(
  connection: EtcdConnection,
  path: string,
  { signal, spec }: Options,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const range = { ...registryRange(spec, path), limit: PAGE, signal }
  for await (const pairs of readRange(connection, range)) {
    for (const { value } of pairs) {
      const version = storedVersionOf(value) ?? ''
      counts.set(version, (counts.get(version) ?? 0) + 1)
    }
  }
  return counts
}

/**
 * The version of its API in which a value of etcd is stored: `apps/v1`. Built-in objects are Protobuf, custom ones JSON.
 *
 * @returns undefined for what is encrypted, or no object of Kubernetes.
 */
export function storedVersionOf(value: Buffer): string | undefined {
  if (value.subarray(0, PROTOBUF.length).equals(PROTOBUF)) {
    const typeMeta = protobufFields(value.subarray(PROTOBUF.length))?.bytes.get(FIRST)
    return typeMeta && protobufFields(typeMeta)?.bytes.get(FIRST)?.toString()
  }
  const apiVersion = fieldOf(jsonOf(value), 'apiVersion')
  return typeof apiVersion === 'string' ? apiVersion : undefined
}
