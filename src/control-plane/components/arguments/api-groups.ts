/**
 * The workload API versions that `apiGroups: lean` disables. The APIs for CRDs and leases remain, and so does
 * discovery.k8s.io: kube-apiserver is not ready until it has listed EndpointSlices.
 */
const DISABLED_GROUPS = [
  'apps/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'node.k8s.io/v1',
  'policy/v1',
  'resource.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1',
]

/** Values that `apiGroups: lean` adds to flags of kube-apiserver; with these admission plugins it would wait for the groups. */
export const LEAN_LISTS = {
  'disable-admission-plugins': [
    'DefaultStorageClass',
    'PersistentVolumeClaimResize',
    'Priority',
    'RuntimeClass',
  ],
  'runtime-config': DISABLED_GROUPS.map((group) => `${group}=false`),
}

/** Feature gates of kube-controller-manager with `apiGroups: lean`: the quota controller would wait for device classes forever. */
export const LEAN_GATES = { DRAExtendedResource: false }
