import type { Json } from '../../../src/shared/json-fields.ts'
import { KEEP_UNKNOWN } from '../structural-schema.ts'
import { nestedControlPlaneCrd, nestedTemplateCrd } from './nested-control-plane-crd.ts'
import { count, nestedCrd, reference, text } from './nested-crd.ts'
import { members, pods, READY_COLUMN } from './nested-fields.ts'

const REPLICAS_COLUMN = { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' }

const ready = { type: 'boolean', description: 'Whether everything was created and works.' }
const reason = text('Why it is not ready.')

/**
 * The CustomResourceDefinitions of nested control planes. `template` is the structural schema of a pod template. Fields are
 * those of the proposal "Creating Control Plane" of cluster-api-provider-nested, without its errata (decision 0021).
 */
export function nestedCrds(template: Json): Record<string, Json> {
  return {
    'nestedcontrolplanes.nested.vplane.dev': nestedControlPlaneCrd(),
    'nestedcontrolplanetemplates.nested.vplane.dev': nestedTemplateCrd(template),
    'nestedpkis.nested.vplane.dev': pki(),
    'nestedetcds.nested.vplane.dev': etcd(template),
    'nestedkases.nested.vplane.dev': apiServer(template),
    'nestedkcms.nested.vplane.dev': controllerManager(template),
  }
}

function pki(): Json {
  return nestedCrd({
    kind: 'NestedPKI',
    plural: 'nestedpkis',
    shortName: 'npki',
    description: 'The certificates and kubeconfigs of a control plane.',
    spec: { properties: {} },
    status: {
      ready: {
        type: 'boolean',
        description: 'Whether all certificates and both kubeconfigs exist.',
      },
      reason,
      certificates: {
        type: 'array',
        items: { type: 'string' },
        description: 'The Secrets with certificates.',
      },
      kubeconfigs: {
        type: 'object',
        description: 'The Secrets with kubeconfigs.',
        properties: {
          user: text('For users and controllers.'),
          controllerManager: text('For kube-controller-manager.'),
        },
      },
    },
    columns: [READY_COLUMN],
  })
}

function etcd(template: Json): Json {
  return nestedCrd({
    kind: 'NestedEtcd',
    plural: 'nestedetcds',
    shortName: 'netcd',
    description: 'The etcd of a control plane.',
    spec: {
      properties: {
        nestedPKI: reference('The NestedPKI with its certificates.'),
        template,
        replicas: members(),
      },
    },
    status: {
      ready,
      reason,
      addresses: {
        type: 'array',
        description: 'How to reach each member in the host cluster.',
        items: {
          type: 'object',
          required: ['port'],
          properties: {
            ip: text('IP address of the pod.'),
            hostname: text('Name of the pod in the DNS of the host cluster.'),
            port: count('Port for clients.'),
          },
        },
      },
    },
    columns: [READY_COLUMN, REPLICAS_COLUMN],
  })
}

function apiServer(template: Json): Json {
  return nestedCrd({
    kind: 'NestedKAS',
    plural: 'nestedkases',
    shortName: 'nkas',
    description: 'The kube-apiserver of a control plane.',
    spec: {
      properties: {
        nestedPKI: reference('The NestedPKI with its certificates.'),
        nestedEtcd: reference('The NestedEtcd with its data.'),
        template,
        replicas: pods('kube-apiserver'),
      },
    },
    status: {
      ready: { ...ready, default: false },
      reason,
      kasService: {
        type: 'object',
        description: 'The Service of kube-apiserver, as it is in the host cluster.',
        ...KEEP_UNKNOWN,
      },
    },
    columns: [READY_COLUMN, REPLICAS_COLUMN],
  })
}

function controllerManager(template: Json): Json {
  return nestedCrd({
    kind: 'NestedKCM',
    plural: 'nestedkcms',
    shortName: 'nkcm',
    description: 'The kube-controller-manager of a control plane.',
    spec: {
      properties: {
        nestedPKI: reference('The NestedPKI with its certificates.'),
        nestedKAS: reference('The NestedKAS that it uses.'),
        template,
        replicas: pods('kube-controller-manager'),
      },
    },
    status: { ready, reason },
    columns: [READY_COLUMN, REPLICAS_COLUMN],
  })
}
