import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { claimRefusals } from '../policies/object-policies.ts'
import type { SyncedResource } from '../scope/resources.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { type FieldDecisions, refusedFields } from '../translate/field-decisions.ts'
import { CLAIM_FIELDS } from '../translate/kinds/claim.ts'
import { CONFIG_MAP_FIELDS, SECRET_FIELDS } from '../translate/kinds/config-map.ts'
import { annotationRefusals } from '../translate/kinds/controller-annotations.ts'
import { ENDPOINT_SLICE_FIELDS } from '../translate/kinds/endpoint-slice.ts'
import { INGRESS_FIELDS } from '../translate/kinds/ingress.ts'
import { NETWORK_POLICY_FIELDS } from '../translate/kinds/network-policy.ts'
import { POD_DISRUPTION_BUDGET_FIELDS } from '../translate/kinds/pod-disruption-budget.ts'
import { SERVICE_FIELDS } from '../translate/kinds/service.ts'
import { POD_FIELDS } from '../translate/pods/pod-spec-fields.ts'
import { type Refusal, toRefusal } from '../translate/refusal.ts'

/** What becomes of each field of each synced kind on the host. */
export const SYNCED_FIELDS: Readonly<Record<SyncedResource, FieldDecisions>> = {
  configmaps: CONFIG_MAP_FIELDS,
  endpointslices: ENDPOINT_SLICE_FIELDS,
  ingresses: INGRESS_FIELDS,
  networkpolicies: NETWORK_POLICY_FIELDS,
  persistentvolumeclaims: CLAIM_FIELDS,
  poddisruptionbudgets: POD_DISRUPTION_BUDGET_FIELDS,
  pods: POD_FIELDS,
  secrets: SECRET_FIELDS,
  services: SERVICE_FIELDS,
}

/** Why the host must not have an object, if that is because of its fields and annotations alone. */
export function refusalOf(
  scope: SyncScope,
  resource: SyncedResource,
  virtual: KubeObject,
): Refusal | undefined {
  const hasControllers = resource === 'ingresses' || resource === 'services'
  const refusals = [
    ...refusedFields(SYNCED_FIELDS[resource], { ...virtual }),
    ...(hasControllers ? annotationRefusals(scope, resource, virtual) : []),
    ...(hasControllers ? claimRefusals(scope.policies, resource, virtual) : []),
  ]
  return refusals.length === 0 ? undefined : toRefusal(refusals)
}
