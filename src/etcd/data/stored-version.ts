import { fieldOf } from '../../shared/stored-format.ts'
import { protobufFields } from '../protobuf.ts'

/** What Kubernetes' Protobuf begins with (kubernetes.io/docs/reference/using-api/api-concepts, "Kubernetes Protobuf"). */
const PROTOBUF = Buffer.from('k8s\0')

/** The first field of both: of `Unknown` it is `TypeMeta`, and of that `apiVersion`. */
const FIRST = 1

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

/** The value of a stored object; undefined when it is no JSON. */
export function jsonOf(value: Buffer): unknown {
  try {
    return JSON.parse(value.toString())
  } catch {
    // Encrypted, or stored by somebody else.
    return undefined
  }
}
