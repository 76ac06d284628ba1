import { type AnyComponentName, SPEC_SECTION } from '../../../control-plane/plane/plane.ts'
import { fieldAt, numberAt } from '../../../shared/json-fields.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { objectPath, type Resource } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { keeperPath, type PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

const RESOURCE_OF = {
  etcd: 'statefulsets',
  kine: 'statefulsets',
  'kube-apiserver': 'deployments',
  'kube-controller-manager': 'deployments',
  syncer: 'deployments',
  'kube-scheduler': 'deployments',
} as const satisfies Record<Exclude<AnyComponentName, 'keeper'>, Resource>

/** Returns the path of the StatefulSet or Deployment of a component; that of the keeper is the one of the namespace. */
export function workloadPath({ name, namespace }: PlacedName, component: AnyComponentName): string {
  if (component === 'keeper') {
    return keeperPath(namespace)
  }
  return objectPath(RESOURCE_OF[component], { name: objectName(name, component), namespace })
}

/** Returns how many pods of a component a running plane has. */
export function replicasOf(
  { etcdMembers, spec }: Pick<PlaneRecord, 'etcdMembers' | 'spec'>,
  component: AnyComponentName,
): number {
  // There is one keeper in a namespace.
  const wanted = component === 'keeper' ? 1 : (spec.host?.[SPEC_SECTION[component]]?.replicas ?? 1)
  return component === 'etcd' ? (etcdMembers ?? wanted) : wanted
}

/** The default of the host is 1. */
export function wantedReplicas(workload: KubeObject): number {
  return numberAt(workload, 'spec', 'replicas') ?? 1
}

/** Whether the host has observed the last change of a workload. */
export function isObserved(workload: KubeObject): boolean {
  const observed = Number(fieldAt(workload, 'status', 'observedGeneration') ?? 0)
  return observed >= Number(workload.metadata['generation'] ?? 0)
}

/** Returns the patch that scales a workload. */
export function scaledTo(replicas: number): unknown {
  return { spec: { replicas } }
}
