import type { LostVersion } from '../../control-plane/spec/lost-versions.ts'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import type { StaleObjects } from '../../control-plane/driver/etcd-operations.ts'
import type { EtcdConnection } from '../etcd-connection.ts'
import { protobufFields } from '../protobuf.ts'
import { readRange, registryRange } from './read-range.ts'
import { fieldAt, recordsAt, textsAt } from '../../shared/json-fields.ts'

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

/**
 * Counts the objects that are stored in versions that go away, or that their CustomResourceDefinition does not serve.
 * Only the objects of such resources are read: the API converts what it gives, and does not say how it is stored.
 *
 * @throws {VplaneError} as `postToEtcd` does.
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

/** The versions in which a definition's status says that objects may be stored, and that are not served. */
function custom(definition: unknown): StaleObjects[] {
  const spec = fieldAt(definition, 'spec')
  const [group, plural] = [fieldAt(spec, 'group'), fieldAt(spec, 'names', 'plural')].map(String)
  // What it stores in now it can be read from, served or not.
  const used = recordsAt(spec, 'versions')
    .filter(({ served, storage }) => served === true || storage === true)
    .map(({ name }) => name)
  const common = { resource: `${plural}.${group}`, count: 0, hasOther: true, isCustom: true }
  return textsAt(definition, 'status', 'storedVersions')
    .filter((version) => !used.includes(version))
    .map((version) => ({ ...common, apiVersion: `${group}/${version}` }))
}

/** Where kube-apiserver stores a resource. */
function pathOf({ apiVersion, isCustom, resource }: StaleObjects): string {
  const [plural = ''] = resource.split('.')
  return isCustom ? `${apiVersion.split('/')[0]}/${plural}` : plural
}

/** The value of a stored object; undefined when it is no JSON, as of what is encrypted. */
function jsonOf(value: Buffer): unknown {
  try {
    return JSON.parse(value.toString())
  } catch {
    return undefined
  }
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
  const apiVersion = fieldAt(jsonOf(value), 'apiVersion')
  return typeof apiVersion === 'string' ? apiVersion : undefined
}
