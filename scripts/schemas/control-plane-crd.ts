import { FIXED_FIELDS, resolvedPath } from '../../src/control-plane/changes/fixed-fields.ts'
import { recordAt, type Json } from '../../src/shared/json-fields.ts'
import { conditionsSchema, count, text } from './nested/nested-crd.ts'
import { COMBINATIONS, withCredentialRules } from './combinations.ts'
import { COMPARED_TEXTS, STORE_RULE } from './store-rule.ts'
import { KEEP_UNKNOWN, toStructuralSchema } from './structural-schema.ts'

/** The longest text of a field that stays as it is: enough for a URL. */
const MAX_TEXT = 1024

/** The fields of a ControlPlane that no spec file has. */
const OWN_FIELDS = {
  startsInOrder: {
    type: 'boolean',
    description:
      'Creates each component when the one before it is ready, instead of all at once. Default: false',
  },
  paused: {
    type: 'boolean',
    description: 'Pauses the control plane: nothing of it runs, and its data stays. Default: false',
  },
  deletionPolicy: {
    type: 'string',
    enum: ['Delete', 'Snapshot', 'Retain', 'LeaveData'],
    description:
      'What becomes of the control plane when the ControlPlane is deleted. Snapshot stores its data in "backup.store" first; Retain keeps it as a plane of the CLI; LeaveData deletes it without its data at a server, which may be unreachable. Default: Delete',
  },
}

/**
 * The CustomResourceDefinition of a ControlPlane, from the JSON schema of a user's spec. It has no defaults: the resolved
 * spec is in the status, so that a new default never changes a plane.
 */
export function controlPlaneCrd(userSpec: Json): Json {
  const { $schema: _, additionalProperties: __, ...fields } = userSpec
  const structural = withCredentialRules(toStructuralSchema(fields))
  const spec = [...FIXED.map(({ path }) => path), ...COMPARED_TEXTS].reduce(limited, structural)
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'controlplanes.vplane.dev' },
    spec: {
      group: 'vplane.dev',
      scope: 'Namespaced',
      names: {
        kind: 'ControlPlane',
        listKind: 'ControlPlaneList',
        plural: 'controlplanes',
        singular: 'controlplane',
        shortNames: ['vcp'],
        categories: ['vplane'],
      },
      versions: [
        {
          name: 'v1beta1',
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.apiServer.replicas',
              statusReplicasPath: '.status.replicas',
              labelSelectorPath: '.status.selector',
            },
          },
          additionalPrinterColumns: COLUMNS,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description: 'A Kubernetes control plane in its namespace.',
              required: ['spec'],
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                spec: {
                  ...spec,
                  properties: { ...recordAt(spec, 'properties'), ...OWN_FIELDS },
                  description: 'The wanted control plane, as in a spec file of vplane create.',
                  'x-kubernetes-validations': COMBINATIONS,
                },
                status: statusSchema(spec),
              },
              'x-kubernetes-validations': [STORE_RULE, ...FIXED.map((field) => fixedRule(field))],
            },
          },
        },
      ],
    },
  }
}

const condition = (type: string) => `.status.conditions[?(@.type=="${type}")]`

const COLUMNS = [
  { name: 'Version', type: 'string', jsonPath: '.status.version' },
  { name: 'Ready', type: 'string', jsonPath: `${condition('Ready')}.status` },
  { name: 'Status', type: 'string', jsonPath: `${condition('Ready')}.reason` },
  { name: 'Endpoint', type: 'string', jsonPath: '.status.endpoint', priority: 1 },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
]

/** The fields that stay; of a ControlPlane, an upgrade changes the version. The store has a rule of its own. */
const FIXED = FIXED_FIELDS.filter(({ path }) => !['store', 'version'].includes(path.join('.')))

/** A field that is set to another value than at the start is refused; one that is left out stays as it was. */
function fixedRule(field: (typeof FIXED_FIELDS)[number]): Json {
  const { path, why } = field
  const before = ['oldSelf', 'status', 'resolved', ...resolvedPath(field)]
  const now = ['self', 'spec', ...path]
  const isOff = path[0] === 'sync' ? ['!self.spec.sync.?enabled.orValue(true)'] : []
  const isEqual = `${now.join('.')} == ${before.join('.')}`
  return {
    rule: [...lacking(before), ...lacking(now), ...isOff, isEqual].join(' || '),
    message: `"${path.join('.')}" stays as it was at the start, because ${why}`,
    fieldPath: '.spec',
  }
}

/** What is true when a field is missing. (API servers take the short form, with optional values, for too expensive.) */
function lacking([root = '', ...path]: readonly string[]): string[] {
  return path.map((_, index) => `!has(${[root, ...path.slice(0, index + 1)].join('.')})`)
}

function statusSchema(spec: Json): Json {
  return {
    type: 'object',
    description: 'The control plane as it is.',
    properties: {
      observedGeneration: {
        type: 'integer',
        format: 'int64',
        description: 'The generation of the spec that the status is about.',
      },
      conditions: conditionsSchema(
        'Ready, Progressing (its reason is the operation under way), Degraded, CredentialsReady and BackupHealthy.',
      ),
      version: text('Version of Kubernetes that runs.'),
      etcdVersion: text('Version of etcd that runs.'),
      vplaneVersion: text('Version of vplane that wrote the objects on the host.'),
      endpoint: text('Address of the API server for clients.'),
      replicas: count('Number of pods of kube-apiserver that are ready.'),
      selector: text('Label selector of the pods of kube-apiserver.'),
      members: {
        type: 'object',
        description: 'The members of etcd.',
        properties: {
          ready: count('How many are ready.'),
          wanted: count('How many there should be.'),
        },
      },
      certificatesExpireAt: { ...text('When the first certificate expires.'), format: 'date-time' },
      resolved: {
        ...resolvedSchema(spec),
        description: 'The spec with all defaults, as they were when the control plane was created.',
      },
    },
  }
}

/** API servers read only fields in rules that a schema names. */
function resolvedSchema(spec: Json): Json {
  return FIXED.reduce<Json>(
    (schema, field) => withField(schema, resolvedPath(field), schemaAt(spec, field.path)),
    withField(
      { type: 'object', ...KEEP_UNKNOWN },
      ['store', 'kine'],
      schemaAt(spec, ['store', 'kine']),
    ),
  )
}

function withField(schema: Json, [name = '', ...rest]: readonly string[], leaf: Json): Json {
  const properties = recordAt(schema, 'properties')
  const inner = recordAt(properties, name) ?? { type: 'object', ...KEEP_UNKNOWN }
  return {
    ...schema,
    properties: { ...properties, [name]: rest.length === 0 ? leaf : withField(inner, rest, leaf) },
  }
}

/** Limits a text that a rule compares: without a limit, API servers take the rule for too expensive. */
function limited(spec: Json, path: readonly string[]): Json {
  const field = schemaAt(spec, path)
  return field['type'] === 'string' && field['enum'] === undefined
    ? withField(spec, path, { maxLength: MAX_TEXT, ...field })
    : spec
}

function schemaAt(spec: Json, path: readonly string[]): Json {
  const field = recordAt(spec, ...path.flatMap((name) => ['properties', name]))
  if (field === undefined) {
    throw new TypeError(`the spec has no field "${path.join('.')}"`)
  }
  return field
}
