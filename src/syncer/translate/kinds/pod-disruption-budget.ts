import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import { readSelector, toHostSelector } from '../label-selector.ts'
import { picked } from '../reading.ts'
import { type Json, numberAt, recordAt } from '../../../shared/json-fields.ts'

/**
 * The host budget of a virtual one. Host pods have no controller to count, so the host takes a number of pods that have
 * to stay only: the one that the plane has worked out. Undefined until it has.
 */
export function toHostPodDisruptionBudget(
  scope: SyncScope,
  virtual: KubeObject,
  owner?: OwnerReference,
): KubeObject | undefined {
  const spec = recordAt(virtual, 'spec') ?? {}
  const minAvailable = numberAt(spec, 'minAvailable') ?? workedOut(virtual)
  if (minAvailable === undefined) {
    return undefined
  }
  const selector = recordAt(spec, 'selector')
  const namespaces = [virtual.metadata.namespace ?? '']
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: toHostMetadata(scope, virtual, owner),
    spec: {
      minAvailable,
      ...picked(spec, ['unhealthyPodEvictionPolicy']),
      ...(selector === undefined
        ? {}
        : { selector: toHostSelector(scope, readSelector(selector), namespaces) }),
    },
  }
}

/** From percentages and from what may be missing, for the budget as it is now. */
function workedOut({ metadata, ...fields }: KubeObject): number | undefined {
  const status: Json = recordAt(fields, 'status') ?? {}
  return numberAt(status, 'observedGeneration') === numberAt(metadata, 'generation')
    ? numberAt(status, 'desiredHealthy')
    : undefined
}
