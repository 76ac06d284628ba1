import { OWN_RULES_LABELS } from '../../../manifests/network/owner-rules.ts'
import { recordAt } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { isSelected } from '../../../shared/kube/label-selector.ts'
import { readSelector } from '../label-selector.ts'
import { isAboutEgress, isAboutIngress } from '../kinds/network-policy.ts'

/**
 * Labels that tell the policies of a plane's owner which host pods have policies of users, for each direction. A pod without
 * them is subject to the rules of the owner, and one with them to what policies of users allow within those rules.
 *
 * @param policies those of the plane, of the pod's namespace
 */
export function ownRulesLabels(
  { metadata: { labels = {} } }: KubeObject,
  policies: readonly KubeObject[],
): Record<string, string> {
  const specs = policies
    .map((policy) => recordAt(policy, 'spec') ?? {})
    .filter((spec) => isSelected(readSelector(recordAt(spec, 'podSelector') ?? {}), labels))
  return {
    ...(specs.some(isAboutEgress) ? { [OWN_RULES_LABELS.egress]: '' } : {}),
    ...(specs.some(isAboutIngress) ? { [OWN_RULES_LABELS.ingress]: '' } : {}),
  }
}
