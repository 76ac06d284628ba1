import type { Json } from '../../../src/shared/json-fields.ts'
import { KEEP_UNKNOWN } from '../structural-schema.ts'
import { conditionsSchema, count, nestedCrd, text } from './nested-crd.ts'
import { members, pods, READY_COLUMN } from './nested-fields.ts'

/** The contract of Cluster API that NestedControlPlanes keep: its version, and the version of this API that keeps it. */
const CONTRACT = { 'cluster.x-k8s.io/v1beta2': 'v1beta1' }

/** The CustomResourceDefinition of NestedControlPlanes. */
export function nestedControlPlaneCrd(): Json {
  const replicas = { ...count('Number of pods of kube-apiserver.'), minimum: 1, maximum: 9 }
  return nestedCrd({
    kind: 'NestedControlPlane',
    plural: 'nestedcontrolplanes',
    shortName: 'ncp',
    categories: ['cluster-api', 'vplane'],
    labels: CONTRACT,
    description: 'A control plane whose components run as pods in a namespace of its own.',
    spec: {
      required: ['templateRef'],
      properties: {
        templateRef: {
          type: 'object',
          required: ['name'],
          description: 'The NestedControlPlaneTemplate that says how the components run.',
          properties: { name: { ...text('Its name.'), minLength: 1, maxLength: 253 } },
        },
        version: {
          ...text('Version of Kubernetes, such as "v1.36.3". The default is that of the template.'),
          maxLength: 32,
        },
        replicas,
        controlPlaneEndpoint: {
          type: 'object',
          description: 'Address of the API server. The operator sets it.',
          properties: {
            host: { ...text('Name or IP address.'), minLength: 1, maxLength: 512 },
            port: { ...count('Port.'), minimum: 1, maximum: 65_535 },
          },
        },
      },
    },
    status: {
      ready: { type: 'boolean', description: 'Whether all components and addons are ready.' },
      clusterNamespace: {
        type: 'object',
        description: 'The namespace with all objects of the control plane.',
        properties: {
          name: text('Its name.'),
          uid: text('Its UID. No other namespace is ever deleted.'),
        },
      },
      initialization: {
        type: 'object',
        description: 'What has happened once.',
        properties: {
          controlPlaneInitialized: {
            type: 'boolean',
            description: 'Whether the API server has accepted requests.',
          },
        },
      },
      externalManagedControlPlane: {
        type: 'boolean',
        description: 'Whether the components run outside of Machines: always.',
      },
      version: text('Lowest version of Kubernetes that runs.'),
      versions: {
        type: 'array',
        description: 'The versions of Kubernetes that run.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['version'],
        items: {
          type: 'object',
          required: ['version'],
          properties: { version: text('Version.'), replicas: count('Number of pods.') },
        },
      },
      selector: text('Label selector of the pods of kube-apiserver.'),
      replicas: count('Number of pods of kube-apiserver.'),
      readyReplicas: count('How many of them are ready.'),
      availableReplicas: count('How many of them are available.'),
      upToDateReplicas: count('How many of them are as the template says.'),
      conditions: conditionsSchema(
        'Available, Ready, AddonsReady, RollingOut, ScalingUp, ScalingDown, Deleting and Paused.',
      ),
    },
    scale: true,
    columns: [
      READY_COLUMN,
      { name: 'Version', type: 'string', jsonPath: '.status.version' },
      { name: 'Namespace', type: 'string', jsonPath: '.status.clusterNamespace.name' },
      { name: 'Template', type: 'string', jsonPath: '.spec.templateRef.name', priority: 1 },
    ],
  })
}

/** The CustomResourceDefinition of NestedControlPlaneTemplates. */
export function nestedTemplateCrd(template: Json): Json {
  const component = (replicas: Json, what: string) => ({
    type: 'object',
    description: `How ${what} runs.`,
    properties: { template, replicas },
  })
  return nestedCrd({
    kind: 'NestedControlPlaneTemplate',
    plural: 'nestedcontrolplanetemplates',
    shortName: 'ncpt',
    isClusterWide: true,
    description:
      'How the components of NestedControlPlanes run. It does not change: make another one.',
    spec: {
      properties: {
        version: { ...text('Version of Kubernetes, such as "1.36".'), maxLength: 32 },
        etcd: component(members(), 'etcd'),
        kas: component(pods('kube-apiserver'), 'kube-apiserver'),
        kcm: component(pods('kube-controller-manager'), 'kube-controller-manager'),
        controlPlane: {
          type: 'object',
          description:
            'More fields of the spec of a ControlPlane, such as "sync", "expose" or "storage".',
          ...KEEP_UNKNOWN,
        },
        addons: {
          type: 'array',
          maxItems: 16,
          description:
            'What is applied in the control plane. It is ready only when their workloads are.',
          items: {
            type: 'object',
            required: ['name', 'manifests'],
            properties: {
              name: { ...text('Name of the addon.'), minLength: 1, maxLength: 63 },
              manifests: { ...text('Its objects as YAML documents.'), maxLength: 262_144 },
            },
          },
        },
      },
      'x-kubernetes-validations': [
        {
          rule: 'self == oldSelf',
          message:
            'a template does not change: create another one, and name it in "templateRef" of the NestedControlPlane',
        },
      ],
    },
    columns: [{ name: 'Version', type: 'string', jsonPath: '.spec.version' }],
  })
}
