import type { Json } from '../../../src/shared/json-fields.ts'

interface NestedCrd {
  kind: string
  plural: string
  shortName: string
  /** @default ['vplane'] */
  categories?: string[]
  /** @default none */
  labels?: Record<string, string>
  /** @default its objects are in namespaces */
  isClusterWide?: boolean
  description: string
  /** The schema of the spec, without its type. */
  spec: Json
  /** The fields of the status. @default it has none */
  status?: Record<string, Json>
  /** Whether `kubectl scale` changes `spec.replicas`. @default false */
  scale?: boolean
  columns: readonly Json[]
}

/** A CustomResourceDefinition of `nested.vplane.dev`. */
export function nestedCrd(crd: NestedCrd): Json {
  const { categories = ['vplane'], description, kind, labels, plural, spec, status } = crd
  const age = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.nested.vplane.dev`, ...(labels && { labels }) },
    spec: {
      group: 'nested.vplane.dev',
      scope: crd.isClusterWide === true ? 'Cluster' : 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [crd.shortName],
        categories,
      },
      versions: [
        {
          name: 'v1beta1',
          served: true,
          storage: true,
          ...(status && { subresources: { status: {}, ...(crd.scale === true ? SCALE : {}) } }),
          additionalPrinterColumns: [...crd.columns, age],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description,
              required: ['spec'],
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                spec: { type: 'object', description: 'What is wanted.', ...spec },
                ...(status && { status: statusSchema(status) }),
              },
            },
          },
        },
      ],
    },
  }
}

const SCALE = {
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
}

function statusSchema(fields: Record<string, Json>): Json {
  const observedGeneration = {
    type: 'integer',
    format: 'int64',
    description: 'The generation of the spec that the status is about.',
  }
  return {
    type: 'object',
    description: 'What was observed.',
    properties: { observedGeneration, ...fields },
  }
}

/** A field with a text. */
export function text(description: string): Json {
  return { type: 'string', description }
}

/** A field with a number of things. */
export function count(description: string): Json {
  return { type: 'integer', format: 'int32', description }
}

/** A reference to an object of the same namespace. */
export function reference(description: string): Json {
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(
      ['apiVersion', 'kind', 'name', 'namespace'].map((field) => [field, { type: 'string' }]),
    ),
  }
}

/** The conditions of a status. */
export function conditionsSchema(description: string): Json {
  return {
    type: 'array',
    description,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: {
      type: 'object',
      required: ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
      properties: {
        type: text('Type of the condition.'),
        status: { ...text('Whether it is so.'), enum: ['True', 'False', 'Unknown'] },
        observedGeneration: {
          type: 'integer',
          format: 'int64',
          description: 'The generation of the spec that the condition is about.',
        },
        lastTransitionTime: { ...text('When the status changed.'), format: 'date-time' },
        reason: text('The reason in one word.'),
        message: text('The reason in words, and what to do.'),
      },
    },
  }
}
