import { isRecord, type Json, recordAt, textAt } from '../../src/shared/json-fields.ts'

/** The kinds that a syncer copies to the host, by the names of their schemas. */
const KINDS = {
  Pod: 'core.v1.Pod',
  Service: 'core.v1.Service',
  ConfigMap: 'core.v1.ConfigMap',
  Secret: 'core.v1.Secret',
  PersistentVolumeClaim: 'core.v1.PersistentVolumeClaim',
  EndpointSlice: 'discovery.v1.EndpointSlice',
  Ingress: 'networking.v1.Ingress',
  NetworkPolicy: 'networking.v1.NetworkPolicy',
  PodDisruptionBudget: 'policy.v1.PodDisruptionBudget',
}

/** Types that stand for one value, whatever their schema is. */
const SCALARS: Record<string, string> = {
  'api.resource.Quantity': 'quantity',
  'meta.v1.FieldsV1': 'fields',
  'meta.v1.MicroTime': 'time',
  'meta.v1.Time': 'time',
  'util.intstr.IntOrString': 'number or text',
}

/**
 * Lists the fields of each synced kind in a Swagger document of Kubernetes, each with its type: `spec.containers[].image`
 * is a `string`, `spec.nodeSelector{}` a map of strings.
 */
export function fieldLeaves(swagger: Json): Record<string, Record<string, string>> {
  const schemas = recordAt(swagger, 'definitions') ?? {}
  return Object.fromEntries(
    Object.entries(KINDS).map(([kind, name]) => {
      const leaves = leavesOf(schemas, { $ref: `.${name}` }, '')
      return [kind, Object.fromEntries(leaves.toSorted(([one], [other]) => (one < other ? -1 : 1)))]
    }),
  )
}

function leavesOf(schemas: Json, schema: Json, path: string): Array<[string, string]> {
  const name = /\.((?:\w+\.){2}\w+)$/.exec(textAt(schema, '$ref') ?? '')?.[1]
  if (name !== undefined) {
    const [, found] = Object.entries(schemas).find(([key]) => key.endsWith(`.${name}`)) ?? []
    const scalar = SCALARS[name]
    return scalar !== undefined || !isRecord(found)
      ? [[path, scalar ?? name]]
      : leavesOf(schemas, found, path)
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
