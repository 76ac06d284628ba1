import { POD_PERMISSIONS } from '../../src/control-plane/spec/fields/host-spec.ts'
import { PRESETS } from '../../src/control-plane/spec/presets.ts'
import type { Json } from '../../src/shared/json-fields.ts'
import { LIMITED_FEATURES } from './admission/limited-features.ts'

/** Most items of a list, and most characters of a text: API servers limit how long a policy may compare them. */
const MAX_ITEMS = 64
const MAX_TEXT = 253

/**
 * The CustomResourceDefinition of ControlPlaneLimits. It has no field for the number of planes: admission policies cannot
 * count, and a ResourceQuota with `count/controlplanes.vplane.dev` can.
 */
export function controlPlaneLimitsCrd(): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'controlplanelimits.vplane.dev' },
    spec: {
      group: 'vplane.dev',
      scope: 'Namespaced',
      names: {
        kind: 'ControlPlaneLimits',
        listKind: 'ControlPlaneLimitsList',
        plural: 'controlplanelimits',
        singular: 'controlplanelimits',
      },
      versions: [
        {
          name: 'v1beta1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description: 'What the ControlPlanes of its namespace may be at most.',
              required: ['spec'],
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                spec: {
                  type: 'object',
                  description:
                    'The limits. A field that is left out limits nothing, and an empty list allows none. If a namespace has several ControlPlaneLimits, all apply.',
                  properties: fields(),
                },
              },
            },
          },
        },
      ],
    },
  }
}

function fields(): Json {
  return {
    maxReplicas: {
      type: 'integer',
      minimum: 1,
      maximum: 9,
      description: 'Most pods of each component, and most members of etcd.',
    },
    maxStorageSize: {
      type: 'string',
      maxLength: 32,
      pattern: String.raw`^[0-9]+(\.[0-9]+)?([kMGTPE]i?)?$`,
      description: 'Largest volume of a member of etcd: "20Gi".',
    },
    presets: list(choiceOf(Object.keys(PRESETS)), 'Presets that a spec may have.'),
    versions: list(
      { type: 'string', maxLength: MAX_TEXT, pattern: String.raw`^[0-9]+\.[0-9]+(\.[0-9]+)?$` },
      'Versions of Kubernetes that a spec may have: "1.36" for all of this minor, or "1.36.3". A spec must name one of them.',
    ),
    expose: list(
      choiceOf(['node-port', 'load-balancer', 'ingress']),
      'Types that "expose" may have. It may always be "none".',
    ),
    images: list(
      { type: 'string', minLength: 1, maxLength: MAX_TEXT },
      'Registries and repositories that images may come from: "registry.example.com/mirror". This includes the images that a spec leaves to vplane, from "registry.k8s.io" and "docker.io/library/node".',
    ),
    features: list(
      choiceOf(Object.keys(LIMITED_FEATURES)),
      'Fields that a spec may use, of those that can be named here. "extraArgs" is that of every component.',
    ),
    podPermissions: list(
      choiceOf(POD_PERMISSIONS),
      'Permissions that "sync.pods.allow" may contain.',
    ),
  }
}

function list(items: Json, description: string): Json {
  return {
    type: 'array',
    'x-kubernetes-list-type': 'set',
    maxItems: MAX_ITEMS,
    description,
    items,
  }
}

function choiceOf(names: readonly string[]): Json {
  return { type: 'string', enum: names }
}
