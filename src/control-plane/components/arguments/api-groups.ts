import { minorOf } from '../../spec/kubernetes-version.ts'

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
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1',
]

/** The API of device classes, for which the quota controller would wait forever while DRAExtendedResource is enabled. */
const DEVICES = 'resource.k8s.io/v1'

/** Values that `apiGroups: lean` adds to flags of kube-apiserver; with these admission plugins it would wait for the groups. */
export function leanLists(version: string): Record<string, string[]> {
  const disabled = [...DISABLED_GROUPS, ...(needsDevices(version) ? [] : [DEVICES])].toSorted()
  return {
    'disable-admission-plugins': [
      'DefaultStorageClass',
      'PersistentVolumeClaimResize',
      'Priority',
      'RuntimeClass',
    ],
    'runtime-config': disabled.map((group) => `${group}=false`),
  }
}

/** Feature gates of kube-controller-manager with `apiGroups: lean`. */
export function leanGates(version: string): Record<string, boolean> {
  return needsDevices(version) ? {} : { DRAExtendedResource: false }
}

/** Kubernetes 1.37 locks DRAExtendedResource: a program with it disabled does not start. */
function needsDevices(version: string): boolean {
  return minorOf(version) >= 37
}
