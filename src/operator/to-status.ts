import type { AnyComponentName, Plane } from '../control-plane/plane/plane.ts'
import type { PlaneStatus } from '../control-plane/status/plane-status.ts'
import { recordAt, recordsAt } from '../shared/json-fields.ts'
import { omitUndefined } from '../shared/omit-undefined.ts'
import type { KubeObject } from '../shared/kube/kube-object.ts'

export interface Condition {
  type: 'Degraded' | 'Progressing' | 'Ready'
  status: 'False' | 'True' | 'Unknown'
  reason: string
  message: string
}

/** What the operator has found out about a ControlPlane. */
export interface Observation {
  plane?: Plane | undefined
  status?: PlaneStatus | undefined
  /** Why the plane is not as the ControlPlane wants it, or cannot become so. */
  failure?: { reason: string; message: string } | undefined
}

/** The status of a ControlPlane; the times of conditions that have not changed stay. */
export function toResourceStatus(
  resource: KubeObject,
  observation: Observation,
  now: Date,
): Record<string, unknown> {
  const { plane, status } = observation
  const { generation } = resource.metadata
  const former = recordsAt(resource, 'status', 'conditions')
  const conditions = conditionsOf(observation).map((condition) => {
    const known = former.find(({ type }) => type === condition.type)
    const lastTransitionTime =
      known?.['status'] === condition.status ? known['lastTransitionTime'] : now.toISOString()
    return { ...condition, observedGeneration: generation, lastTransitionTime }
  })
  const replicasOf = (component: AnyComponentName) =>
    status?.components.find(({ name }) => name === component)?.replicas
  return omitUndefined({
    observedGeneration: generation,
    conditions,
    version: plane?.spec.version,
    etcdVersion: plane?.spec.etcdVersion,
    endpoint: status?.server,
    replicas: replicasOf('kube-apiserver')?.ready,
    members: replicasOf('etcd'),
    certificatesExpireAt: status?.certificatesExpireAt?.toISOString(),
    // The ControlPlane stays the owner of its plane while that cannot be read.
    resolved: plane?.spec ?? recordAt(resource, 'status', 'resolved'),
  })
}

function conditionsOf({ failure, plane, status }: Observation): Condition[] {
  const phase = status?.phase ?? 'Creating'
  const isReady = phase === 'Ready' && failure === undefined
  const why = failure ?? { reason: phase, message: status?.reason ?? '' }
  const operation = status?.operation
  return [
    { type: 'Ready', status: isReady ? 'True' : 'False', ...why },
    {
      type: 'Progressing',
      status:
        operation !== undefined || plane === undefined || phase === 'Starting' ? 'True' : 'False',
      reason: operation?.kind ?? phase,
      message: operation?.step ?? '',
    },
    {
      type: 'Degraded',
      status: phase === 'NotReady' || failure !== undefined ? 'True' : 'False',
      ...why,
    },
  ]
}
