import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { SyncScope } from '../../scope/sync-scope.ts'
import { copiedFields, type FieldDecisions } from '../field-decisions.ts'
import { type OwnerReference, toHostMetadata } from '../host-metadata.ts'
import { readSelector, toHostSelector } from '../label-selector.ts'
import { OBJECT_FIELDS, SELECTOR_FIELDS } from '../object-fields.ts'
import { provided } from '../reading.ts'
import { type Json, numberAt, recordAt } from '../../../shared/json-fields.ts'

/** The decision for each field of a PodDisruptionBudget. */
export const POD_DISRUPTION_BUDGET_FIELDS = {
  ...OBJECT_FIELDS,
  spec: {
    maxUnavailable: 'translate',
    minAvailable: 'translate',
    selector: SELECTOR_FIELDS,
    unhealthyPodEvictionPolicy: 'copy',
  },
  status: 'drop',
} as const satisfies FieldDecisions

/** Undefined until the plane has computed the minimum: host pods have no controller, so it must be a number. */
export function toHostPodDisruptionBudget(
  scope: SyncScope,
  virtual: KubeObject,
  owner?: OwnerReference,
): KubeObject | undefined {
  const spec = recordAt(virtual, 'spec') ?? {}
  const minAvailable = numberAt(spec, 'minAvailable') ?? desiredHealthyOf(virtual)
  if (minAvailable === undefined) {
    return undefined
  }
  const selector = recordAt(spec, 'selector')
  const namespaces = [virtual.metadata.namespace ?? '']
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: toHostMetadata({ scope, resource: 'poddisruptionbudgets', owner }, virtual),
    spec: {
      ...copiedFields(POD_DISRUPTION_BUDGET_FIELDS.spec, spec),
      minAvailable,
      ...provided({
        selector: selector && toHostSelector(scope, readSelector(selector), namespaces),
      }),
    },
  }
}

/** What the plane has computed from a percentage or from `maxUnavailable`; undefined when it is outdated. */
function desiredHealthyOf({ metadata, ...fields }: KubeObject): number | undefined {
  const status: Json = recordAt(fields, 'status') ?? {}
  return numberAt(status, 'observedGeneration') === numberAt(metadata, 'generation')
    ? numberAt(status, 'desiredHealthy')
    : undefined
}
