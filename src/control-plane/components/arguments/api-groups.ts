/**
 * The workload API versions that `apiGroups: lean` switches off. What CRDs and leases need stays, and so does
 * discovery.k8s.io: kube-apiserver is not ready before its own look at EndpointSlices.
 */
const LEAN_OFF = [
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

/** What `apiGroups: lean` adds to lists of kube-apiserver: with these admission plugins it would wait for the groups. */
export const LEAN_LISTS = {
  'disable-admission-plugins': [
    'DefaultStorageClass',
    'PersistentVolumeClaimResize',
    'Priority',
    'RuntimeClass',
  ],
  'runtime-config': LEAN_OFF.map((group) => `${group}=false`),
}

/** Feature gates of kube-controller-manager with `apiGroups: lean`: quotas would look for device classes for ever. */
export const LEAN_GATES = { DRAExtendedResource: false }
