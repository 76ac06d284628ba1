import type { Json } from '../../../src/shared/json-fields.ts'
import { limitsPolicy, scalePolicy } from './limits-policies.ts'
import { planePolicy } from './plane-rights.ts'
import { policyWithBinding } from './policy.ts'
import { syncerPolicies } from './syncer-rights.ts'

/** The policies for ControlPlanes: no one gets more with one than their own rights and the limits of the namespace allow. */
export function admissionPolicies(): Json {
  const policies = [planePolicy(), ...syncerPolicies(), limitsPolicy(), scalePolicy()]
  return { apiVersion: 'v1', kind: 'List', items: policies.flatMap(policyWithBinding) }
}
