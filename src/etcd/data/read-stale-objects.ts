import type { LostVersion } from '../../control-plane/spec/lost-versions.ts'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import type { StaleObjects } from '../../control-plane/driver/etcd-operations.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { protobufFields } from '../protobuf.ts'
import { readRange, registryRange } from './read-range.ts'
import { fieldAt, recordsAt, textsAt } from '../../shared/json-fields.ts'

/** Objects per request: all of them must fit into one text, and one can have 1.5 MiB. */
const PAGE = 200

/** Definitions per request: they are large. */
const DEFINITIONS_PAGE = 20

const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions'

/** The prefix of Kubernetes' Protobuf (kubernetes.io/docs/reference/using-api/api-concepts, "Kubernetes Protobuf"). */
const PROTOBUF = Buffer.from('k8s\0')

/** The number of the field `typeMeta` of `Unknown`, and of the field `apiVersion` of `TypeMeta`. */
const FIRST = 1

export interface ReadStaleObjectsOptions {
  spec: Pick<PlaneSpec, 'etcd'>
  /** Versions of built-in APIs that an upgrade removes. */
  lost: readonly LostVersion[]
  signal: AbortSignal
}

/**
 * Counts the objects that are stored in versions that an upgrade removes, or that their CustomResourceDefinition does
 * not serve. It reads only the resources that have such versions. The API cannot tell: it converts objects, and does
 * not report their stored version.
 */
export async function readStaleObjects(
  connection: EtcdConnection,
  { lost, signal, spec }: ReadStaleObjectsOptions,
): Promise<StaleObjects[]> {
  const read = (path: string, limit: number) =>
    readRange(connection, { ...registryRange(spec, path), limit, signal })
  const suspects = lost.map(builtIn)
  for await (const { value } of read(DEFINITIONS, DEFINITIONS_PAGE)) {
    suspects.push(...custom(jsonOf(value)))
  }
  for (const [path, ofPath] of Map.groupBy(suspects, pathOf)) {
    for await (const { value } of read(path, PAGE)) {
      const version = storedVersionOf(value)
      const suspect = ofPath.find(({ apiVersion }) => apiVersion === version)
      if (suspect !== undefined) {
        suspect.count += 1
      }
    }
  }
  return suspects.filter(({ count }) => count > 0)
}

function builtIn({ apiVersion, hasOther, resource }: LostVersion): StaleObjects {
  const [group] = apiVersion.split('/')
  return { resource: `${resource}.${group}`, apiVersion, count: 0, hasOther, isCustom: false }
}

/** The versions that a definition does not serve, but in which objects may be stored according to its status. */
function custom(definition: unknown): StaleObjects[] {
  const spec = fieldAt(definition, 'spec')
  const [group, plural] = [fieldAt(spec, 'group'), fieldAt(spec, 'names', 'plural')].map(String)
  // The API can read the storage version, even if it is not served.
  const used = recordsAt(spec, 'versions')
    .filter(({ served, storage }) => served === true || storage === true)
    .map(({ name }) => name)
  const common = { resource: `${plural}.${group}`, count: 0, hasOther: true, isCustom: true }
  return textsAt(definition, 'status', 'storedVersions')
    .filter((version) => !used.includes(version))
    .map((version) => ({ ...common, apiVersion: `${group}/${version}` }))
}

function pathOf({ apiVersion, isCustom, resource }: StaleObjects): string {
  const [plural = ''] = resource.split('.')
  return isCustom ? `${apiVersion.split('/')[0]}/${plural}` : plural
}

/** The JSON of a stored object, or undefined for any other value, such as an encrypted one. */
function jsonOf(value: Buffer): unknown {
  try {
    return JSON.parse(value.toString())
  } catch {
    return undefined
  }
}

/**
 * The API version in which a value in etcd is stored: `apps/v1`. Built-in objects are Protobuf, custom ones JSON.
 * Undefined for an encrypted value, or one that is not a Kubernetes object.
 */
export function storedVersionOf(value: Buffer): string | undefined {
  if (value.subarray(0, PROTOBUF.length).equals(PROTOBUF)) {
    const typeMeta = protobufFields(value.subarray(PROTOBUF.length))?.bytes.get(FIRST)
    return typeMeta && protobufFields(typeMeta)?.bytes.get(FIRST)?.toString()
  }
  const apiVersion = fieldAt(jsonOf(value), 'apiVersion')
  return typeof apiVersion === 'string' ? apiVersion : undefined
}
