import { isRecord, type Json, recordAt, textAt } from '../../src/shared/json-fields.ts'

/** The kinds that a syncer copies to the host, by the names of their schemas. */
const KINDS = {
  Pod: 'io.k8s.api.core.v1.Pod',
  Service: 'io.k8s.api.core.v1.Service',
  ConfigMap: 'io.k8s.api.core.v1.ConfigMap',
  Secret: 'io.k8s.api.core.v1.Secret',
  PersistentVolumeClaim: 'io.k8s.api.core.v1.PersistentVolumeClaim',
  EndpointSlice: 'io.k8s.api.discovery.v1.EndpointSlice',
  Ingress: 'io.k8s.api.networking.v1.Ingress',
  NetworkPolicy: 'io.k8s.api.networking.v1.NetworkPolicy',
  PodDisruptionBudget: 'io.k8s.api.policy.v1.PodDisruptionBudget',
}

/** Types that stand for one value, whatever their schema is. */
const SCALARS: Record<string, string> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'quantity',
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'fields',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'time',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'time',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'number or text',
}

const DEFINITIONS = '#/definitions/'

/**
 * Lists the fields of each synced kind in a Swagger document of Kubernetes, each with its type: `spec.containers[].image`
 * is a `string`, `spec.nodeSelector{}` a map of strings. `kinds` are others, by the names of their schemas.
 */
export function fieldLeaves(
  swagger: Json,
  kinds: Readonly<Record<string, string>> = KINDS,
): Record<string, Record<string, string>> {
  const schemas = recordAt(swagger, 'definitions') ?? {}
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, name]) => {
      const leaves = leavesOf(schemas, { $ref: `${DEFINITIONS}${name}` }, '')
      return [kind, Object.fromEntries(leaves.toSorted(([one], [other]) => (one < other ? -1 : 1)))]
    }),
  )
}

function leavesOf(schemas: Json, schema: Json, path: string): Array<[string, string]> {
  const name = textAt(schema, '$ref')?.slice(DEFINITIONS.length)
  if (name !== undefined) {
    const scalar = SCALARS[name]
    return scalar === undefined
      ? leavesOf(schemas, recordAt(schemas, name) ?? {}, path)
      : [[path, scalar]]
  }
  const items = recordAt(schema, 'items')
  const values = recordAt(schema, 'additionalProperties')
  const properties = recordAt(schema, 'properties')
  if (items !== undefined) {
    return leavesOf(schemas, items, `${path}[]`)
  }
  if (values !== undefined) {
    return leavesOf(schemas, values, `${path}{}`)
  }
  return properties === undefined
    ? [[path, textAt(schema, 'type') ?? 'any']]
    : Object.entries(properties).flatMap(([field, value]) =>
        leavesOf(schemas, isRecord(value) ? value : {}, path === '' ? field : `${path}.${field}`),
      )
}
