import { type AnyComponentName, SPEC_SECTION } from '../../../control-plane/plane/plane.ts'
import { fieldAt, numberAt } from '../../../shared/json-fields.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { objectPath, type Resource } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

/** What runs each component. */
const RESOURCE_OF = {
  etcd: 'statefulsets',
  'kube-apiserver': 'deployments',
  'kube-controller-manager': 'deployments',
  syncer: 'deployments',
  'kube-scheduler': 'deployments',
  keeper: 'deployments',
} as const satisfies Record<AnyComponentName, Resource>

/** Path of the StatefulSet or the Deployment of a component. */
export function workloadPath({ name, namespace }: PlacedName, component: AnyComponentName): string {
  return objectPath(RESOURCE_OF[component], { name: objectName(name, component), namespace })
}

/** How many pods of a component a plane has when it runs. */
export function replicasOf(
  { etcdMembers, spec }: Pick<PlaneRecord, 'etcdMembers' | 'spec'>,
  component: AnyComponentName,
): number {
  const wanted = spec.host?.[SPEC_SECTION[component]]?.replicas ?? 1
  return component === 'etcd' ? (etcdMembers ?? wanted) : wanted
}

/** How many pods a workload is to have: the host takes none for one. */
export function wantedReplicas(workload: KubeObject): number {
  return numberAt(workload, 'spec', 'replicas') ?? 1
}

/** Tells whether the host has looked at a workload since it was changed last. */
export function isObserved(workload: KubeObject): boolean {
  const seen = Number(fieldAt(workload, 'status', 'observedGeneration') ?? 0)
  return seen >= Number(workload.metadata['generation'] ?? 0)
}

/** The patch that gives a workload so many pods. */
export function scaledTo(replicas: number): unknown {
  return { spec: { replicas } }
}
