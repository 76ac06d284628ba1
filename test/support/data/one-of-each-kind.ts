import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'

/** Objects without their metadata, by `apiVersion kind`. */
type Samples = Readonly<Record<string, Record<string, unknown>>>

/** Where the objects with a namespace are. */
export const SAMPLE_NAMESPACE = 'full'

const LABELS = { app: 'sample' }
const SELECTOR = { matchLabels: LABELS }
const CONTAINERS = { containers: [{ name: 'main', image: 'example.com/main' }] }
const TEMPLATE = { metadata: { labels: LABELS }, spec: CONTAINERS }
const ONCE = { ...TEMPLATE, spec: { ...CONTAINERS, restartPolicy: 'Never' } }
const SCALED = { selector: SELECTOR, template: TEMPLATE }
const VOLUME_SIZE = { storage: '1Mi' }
const ENDS = { apiGroup: 'rbac.authorization.k8s.io' }
const RULE = { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }
const MATCHED = {
  matchConstraints: {
    resourceRules: [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['bindings'] },
    ],
  },
}
const MUTATION = 'Object{metadata: Object.metadata{labels: {"sample": "yes"}}}'

/** An object of every kind with a namespace that kube-apiserver serves by itself. */
export const NAMESPACED: Samples = {
  'v1 ConfigMap': { data: {} },
  'v1 Endpoints': { subsets: [] },
  'v1 Event': {
    involvedObject: { kind: 'Pod', name: 'sample', namespace: SAMPLE_NAMESPACE },
    reason: 'Sample',
  },
  'v1 LimitRange': { spec: { limits: [] } },
  'v1 PersistentVolumeClaim': {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: VOLUME_SIZE } },
  },
  'v1 Pod': { spec: CONTAINERS },
  'v1 PodTemplate': { template: TEMPLATE },
  'v1 ReplicationController': { spec: { replicas: 1, selector: LABELS, template: TEMPLATE } },
  'v1 ResourceQuota': { spec: { hard: { services: '10' } } },
  'v1 Secret': { stringData: { key: 'value' } },
  'v1 Service': { spec: { type: 'LoadBalancer', selector: LABELS, ports: [{ port: 80 }] } },
  'v1 ServiceAccount': {},
  'apps/v1 ControllerRevision': { data: {}, revision: 1 },
  'apps/v1 DaemonSet': { spec: SCALED },
  'apps/v1 Deployment': { spec: SCALED },
  'apps/v1 ReplicaSet': { spec: SCALED },
  'apps/v1 StatefulSet': { spec: { ...SCALED, serviceName: 'sample' } },
  'autoscaling/v2 HorizontalPodAutoscaler': {
    spec: {
      maxReplicas: 2,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'sample' },
    },
  },
  'batch/v1 CronJob': {
    spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: ONCE } } },
  },
  'batch/v1 Job': { spec: { template: ONCE } },
  'coordination.k8s.io/v1 Lease': { spec: { holderIdentity: 'sample' } },
  'discovery.k8s.io/v1 EndpointSlice': { addressType: 'IPv4', endpoints: [] },
  'events.k8s.io/v1 Event': {
    action: 'Sample',
    eventTime: '2026-01-01T00:00:00.000000Z',
    reason: 'Sample',
    regarding: { kind: 'Pod', name: 'sample', namespace: SAMPLE_NAMESPACE },
    reportingController: 'example.com/sample',
    reportingInstance: 'sample',
    type: 'Normal',
  },
  'networking.k8s.io/v1 Ingress': {
    spec: { defaultBackend: { service: { name: 'sample', port: { number: 80 } } } },
  },
  'networking.k8s.io/v1 NetworkPolicy': { spec: { podSelector: SELECTOR } },
  'policy/v1 PodDisruptionBudget': { spec: { minAvailable: 1, selector: SELECTOR } },
  'rbac.authorization.k8s.io/v1 Role': RULE,
  'rbac.authorization.k8s.io/v1 RoleBinding': {
    roleRef: { ...ENDS, kind: 'Role', name: 'sample' },
    subjects: [{ ...ENDS, kind: 'User', name: 'nobody' }],
  },
  'resource.k8s.io/v1 ResourceClaim': {
    spec: { devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'example.com' } }] } },
  },
  'resource.k8s.io/v1 ResourceClaimTemplate': {
    spec: {
      spec: {
        devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'example.com' } }] },
      },
    },
  },
  'storage.k8s.io/v1 CSIStorageCapacity': { storageClassName: 'sample', capacity: '1Gi' },
}

/** An object of every kind without a namespace that kube-apiserver serves by itself, and that goes by itself. */
export const CLUSTER_SCOPED: Samples = {
  'v1 Namespace': {},
  'v1 Node': {},
  'v1 PersistentVolume': {
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: VOLUME_SIZE,
      csi: { driver: 'csi.example.com', volumeHandle: 'sample' },
    },
  },
  'admissionregistration.k8s.io/v1 MutatingAdmissionPolicy': {
    spec: {
      ...MATCHED,
      reinvocationPolicy: 'Never',
      mutations: [
        { patchType: 'ApplyConfiguration', applyConfiguration: { expression: MUTATION } },
      ],
    },
  },
  'admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding': {
    spec: { policyName: 'sample.example.com' },
  },
  'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration': { webhooks: [] },
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy': {
    spec: { ...MATCHED, validations: [{ expression: 'true' }] },
  },
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding': {
    spec: { policyName: 'sample.example.com', validationActions: ['Warn'] },
  },
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration': { webhooks: [] },
  'apiextensions.k8s.io/v1 CustomResourceDefinition': {
    spec: {
      group: 'example.com',
      names: { kind: 'Sample', plural: 'samples' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          schema: { openAPIV3Schema: { type: 'object' } },
          served: true,
          storage: true,
        },
      ],
    },
  },
  'apiregistration.k8s.io/v1 APIService': {
    spec: {
      group: 'metrics.example.com',
      groupPriorityMinimum: 100,
      insecureSkipTLSVerify: true,
      service: { name: 'sample', namespace: 'default' },
      version: 'v1',
      versionPriority: 100,
    },
  },
  'certificates.k8s.io/v1 CertificateSigningRequest': {
    spec: { signerName: 'example.com/signer', usages: ['client auth'] },
  },
  'flowcontrol.apiserver.k8s.io/v1 FlowSchema': {
    spec: { matchingPrecedence: 9000, priorityLevelConfiguration: { name: 'workload-low' } },
  },
  'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration': {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  },
  'networking.k8s.io/v1 IPAddress': {
    spec: { parentRef: { resource: 'services', name: 'sample', namespace: 'default' } },
  },
  'networking.k8s.io/v1 IngressClass': { spec: { controller: 'example.com/ingress' } },
  'networking.k8s.io/v1 ServiceCIDR': { spec: { cidrs: ['192.0.2.0/24'] } },
  'node.k8s.io/v1 RuntimeClass': { handler: 'sample' },
  'rbac.authorization.k8s.io/v1 ClusterRole': RULE,
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': {
    roleRef: { ...ENDS, kind: 'ClusterRole', name: 'sample' },
    subjects: [{ ...ENDS, kind: 'User', name: 'nobody' }],
  },
  'resource.k8s.io/v1 DeviceClass': { spec: {} },
  'resource.k8s.io/v1 ResourceSlice': {
    spec: {
      driver: 'dra.example.com',
      nodeName: 'sample',
      pool: { name: 'sample', generation: 1, resourceSliceCount: 1 },
    },
  },
  'scheduling.k8s.io/v1 PriorityClass': { value: 1 },
  'storage.k8s.io/v1 CSIDriver': { spec: { attachRequired: false } },
  'storage.k8s.io/v1 CSINode': { spec: { drivers: [] } },
  'storage.k8s.io/v1 StorageClass': { provisioner: 'csi.example.com' },
  'storage.k8s.io/v1 VolumeAttachment': {
    spec: {
      attacher: 'csi.example.com',
      nodeName: 'sample',
      source: { persistentVolumeName: 'sample' },
    },
  },
  'storage.k8s.io/v1 VolumeAttributesClass': {
    driverName: 'csi.example.com',
    parameters: { kind: 'sample' },
  },
}

/** Kinds whose names say something. */
const NAMES: Readonly<Record<string, string>> = {
  APIService: 'v1.metrics.example.com',
  CSIDriver: 'csi.example.com',
  CustomResourceDefinition: 'samples.example.com',
  IPAddress: '192.0.2.77',
  DeviceClass: 'sample.example.com',
  MutatingAdmissionPolicy: 'sample.example.com',
  ValidatingAdmissionPolicy: 'sample.example.com',
}

/** The samples as objects that can be created. */
export function objectsOf(samples: Samples): KubeObject[] {
  const place = samples === NAMESPACED ? { namespace: SAMPLE_NAMESPACE } : {}
  return Object.entries(samples).map(([type, rest]) => {
    const [apiVersion = '', kind = ''] = type.split(' ')
    const isEvents = apiVersion.startsWith('events')
    const name = isEvents ? 'sample-of-events' : (NAMES[kind] ?? 'sample')
    return { apiVersion, kind, metadata: { name, ...place }, ...rest }
  })
}
