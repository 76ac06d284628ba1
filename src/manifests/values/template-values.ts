import { etcdAddress } from '../../control-plane/store/etcd-address.ts'
import {
  DATABASE_PORTS,
  databaseOf,
  ownStoreOf,
  sharedEtcdOf,
  storeOf,
} from '../../control-plane/store/store.ts'
import type { Workload } from '../../control-plane/spec/fields/host-spec.ts'
import { componentValues, toSecretData } from './component-values.ts'
import type { TemplateValues } from '../templates/fill-template.ts'
import { hostOf, type ManifestInput } from '../templates/manifest-input.ts'
import { DATABASE_ENDPOINT } from '../database-files.ts'
import { RELAY_COMPONENT } from '../database/relay-pod.ts'
import {
  COMPONENT_LABEL,
  KEEPER_LABELS,
  objectLabels,
  objectName,
  PLANE_LABEL,
  selectorLabels,
} from '../object-names.ts'
import { apiServerEgress, databaseEgress, etcdEgress, issuersOf } from '../network/owner-rules.ts'
import { policyRules } from '../network/network-rule.ts'
import { keeperValues } from './keeper-values.ts'
import { DATA_MODE, memberName, POD_FOLDERS } from '../pod-layout.ts'
import { rolloutStrategy } from './placement.ts'
import { syncerValues } from './syncer-values.ts'
import { filesOfAuthorities, secretKeyOf } from '../pod-files.ts'

/** The user and group of all processes: `nonroot` in upstream's base images. */
const USER_ID = 65_532

/** Running requests may take a minute, and one of several kube-apiservers continues to serve before that. */
const GRACE_SECONDS = { alone: 30, oneOfSeveral: 75 }

/** The annotations that make Ingress controllers pass TLS through, if they can. */
const PASS_THROUGH = {
  'haproxy.org/ssl-passthrough': 'true',
  'nginx.ingress.kubernetes.io/backend-protocol': 'HTTPS',
  'nginx.ingress.kubernetes.io/ssl-passthrough': 'true',
}

const SERVICE_TYPES = {
  none: 'ClusterIP',
  ingress: 'ClusterIP',
  'node-port': 'NodePort',
  'load-balancer': 'LoadBalancer',
} as const

/** All values of templates; templates/README.md lists them. */
export function templateValues(input: ManifestInput): TemplateValues {
  const { hostGivesIds = false, id, name, namespace, spec } = input
  const { controllerManager, images, pods, scheduler } = hostOf(spec)
  return {
    plane: {
      name,
      namespace,
      id,
      version: spec.version,
      clusterDomain: spec.clusterDomain,
      labels: objectLabels(name),
      selector: { [PLANE_LABEL]: name },
      authoritiesName: objectName(name, 'ca'),
      authoritiesData: toSecretData(filesOfAuthorities(input.files)),
    },
    endpoint: endpointValues(input),
    images: {
      registry: images.registry,
      pullPolicy: images.pullPolicy,
      pullSecrets: unlessEmpty(images.pullSecrets.map((secret) => ({ name: secret }))),
    },
    pods: {
      userId: hostGivesIds ? undefined : USER_ID,
      nodeSelector: unlessEmpty(pods.nodeSelector),
      tolerations: unlessEmpty(pods.tolerations),
      priorityClassName: pods.priorityClassName,
    },
    ...storeValues(input),
    apiServer: apiServerValues(input),
    controllerManager: controllerValues(input, 'kube-controller-manager', controllerManager),
    scheduler: scheduler && controllerValues(input, 'kube-scheduler', scheduler),
    syncer: syncerValues(input),
    keeper: keeperValues(input),
  }
}

function endpointValues({ name, spec }: ManifestInput): TemplateValues {
  const { annotations, host, ingressClassName, nodePort, type } = hostOf(spec).expose
  return {
    name: objectName(name, 'api'),
    serviceType: SERVICE_TYPES[type],
    serviceAnnotations: type === 'ingress' ? undefined : unlessEmpty(annotations),
    nodePort,
    host,
    ingressClassName,
    ingressAnnotations: { ...PASS_THROUGH, ...annotations },
  }
}

function storeValues(input: ManifestInput): TemplateValues {
  const component = ownStoreOf(input.spec)
  return component === undefined
    ? {}
    : component === 'etcd'
      ? { etcd: etcdValues(input) }
      : { kine: kineValues(input) }
}

function etcdValues(input: ManifestInput): TemplateValues {
  return {
    ...componentValues(input, 'etcd'),
    firstSelector: {
      ...selectorLabels(input.name, 'etcd'),
      'statefulset.kubernetes.io/pod-name': memberName(input.name, 0),
    },
    peersName: objectName(input.name, 'etcd-peers'),
    accessName: objectName(input.name, 'etcd-access'),
    keeperSelector: KEEPER_LABELS,
    ...dataVolume(input, 'etcd'),
  }
}

function kineValues(input: ManifestInput): TemplateValues {
  return {
    ...componentValues(input, 'kine'),
    accessName: objectName(input.name, 'kine-access'),
    ...databaseValues(input),
    ...(databaseOf(input.spec) === undefined
      ? dataVolume(input, 'kine')
      : { ephemeralVolume: undefined, volumeClaimTemplates: undefined }),
  }
}

/** How kine connects to a database, or uses the volume of its file. */
function databaseValues({ name, spec }: ManifestInput): TemplateValues {
  const database = databaseOf(spec)
  const own = { name: objectName(name, 'kine') }
  const variable =
    database === undefined
      ? { name: DATA_MODE, valueFrom: { configMapKeyRef: { ...own, key: DATA_MODE } } }
      : {
          name: 'KINE_ENDPOINT',
          valueFrom: { secretKeyRef: { ...own, key: secretKeyOf(DATABASE_ENDPOINT) } },
        }
  const egress =
    database === undefined
      ? []
      : databaseEgress({ ...database, port: database.port ?? DATABASE_PORTS[database.kind] })
  return {
    variable,
    workingFolder: database === undefined ? POD_FOLDERS.kineData : undefined,
    dataMount:
      database === undefined ? { name: 'data', mountPath: POD_FOLDERS.kineData } : undefined,
    egressName: objectName(name, 'kine-egress'),
    egressRules: policyRules(egress, 'to'),
    egressSelector: {
      matchLabels: { [PLANE_LABEL]: name },
      matchExpressions: [
        { key: COMPONENT_LABEL, operator: 'In', values: ['kine', RELAY_COMPONENT] },
      ],
    },
  }
}

/** The volume of the pods of a store. */
function dataVolume(input: ManifestInput, component: 'etcd' | 'kine'): TemplateValues {
  const { ephemeral } = input.spec
  const { className, size } = hostOf(input.spec).storage
  const labels = objectLabels(input.name, component)
  // With the defaults of the API server, which compares the list as a whole when another field manager applies it.
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', labels },
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(className === undefined ? {} : { storageClassName: className }),
      resources: { requests: { storage: size } },
      volumeMode: 'Filesystem',
    },
    status: { phase: 'Pending' },
  }
  return {
    ephemeralVolume: ephemeral ? { name: 'data', emptyDir: { sizeLimit: size } } : undefined,
    volumeClaimTemplates: ephemeral ? undefined : [claim],
  }
}

function apiServerValues(input: ManifestInput): TemplateValues {
  const { egress = [], replicas } = hostOf(input.spec).apiServer
  const shared = sharedEtcdOf(input.spec)?.endpoints.map(etcdAddress)
  return {
    ...componentValues(input, 'kube-apiserver'),
    isAlone: replicas === 1,
    egressName: objectName(input.name, 'kube-apiserver-egress'),
    egressRules: policyRules(
      apiServerEgress({
        plane: input.name,
        store: shared ?? storeOf(input.spec).component,
        egress,
        issuers: issuersOf(input.spec),
      }),
      'to',
    ),
    relayName: objectName(input.name, 'database-egress'),
    relaySelector: { [PLANE_LABEL]: input.name, [COMPONENT_LABEL]: RELAY_COMPONENT },
    relayRules: policyRules(etcdEgress(shared ?? []), 'to'),
    terminationGracePeriodSeconds: replicas > 1 ? GRACE_SECONDS.oneOfSeveral : GRACE_SECONDS.alone,
  }
}

function controllerValues(
  input: ManifestInput,
  component: 'kube-controller-manager' | 'kube-scheduler',
  { replicas }: Pick<Workload, 'replicas'>,
): TemplateValues {
  return { ...componentValues(input, component), strategy: rolloutStrategy(replicas) }
}

function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value
}
