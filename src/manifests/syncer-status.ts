import type { NetworkPolicyEffect } from '../control-plane/status/plane-status.ts'
import { textAt } from '../shared/json-fields.ts'
import type { KubeObject } from '../shared/kube/kube-object.ts'

const POLICIES = 'networkPolicies'

/** The data for a syncer's ConfigMap. */
export function syncerStatusData(effect: NetworkPolicyEffect): Record<string, string> {
  return { [POLICIES]: effect }
}

/** What a syncer reported in its ConfigMap; undefined before its first report. */
export function networkPolicyEffectOf(
  configMap: KubeObject | undefined,
): NetworkPolicyEffect | undefined {
  const text = textAt(configMap ?? {}, 'data', POLICIES)
  return text === 'enforced' || text === 'ignored' ? text : undefined
}
