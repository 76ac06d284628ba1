import type { Finding } from '../../../../control-plane/status/finding.ts'
import type { HostObject } from '../../host/host-api.ts'
import type { CommandPlace } from '../../context/kubectl-hint.ts'
import type { LimitRange } from './limit-range.ts'
import { claimViolations, podViolations } from './limit-violations.ts'
import { podDemandOf } from './pod-demand.ts'
import { quotaFinding, type ResourceQuota } from './quota-finding.ts'
import { type Claim, workloadsOf } from '../../host/workload.ts'

/** What a namespace says about sizes; undefined what the user may not see. */
export interface Capacity {
  ranges: readonly HostObject[] | undefined
  quotas: readonly HostObject[] | undefined
  /** Pods of the plane that are there already. */
  pods: readonly HostObject[] | undefined
}

/** What is to come. */
export interface Coming {
  manifests: readonly HostObject[]
  /** Those of the manifests that are not there yet. */
  objects: readonly HostObject[]
  /** Volumes that are not there yet, with the class that they will have. */
  claims: readonly Claim[]
}

/** Whether what is to come fits into the sizes that a namespace allows, one by one and together. */
export function capacityFindings(
  { pods = [], quotas, ranges }: Capacity,
  { claims, manifests, objects }: Coming,
  place: CommandPlace,
): Finding[] {
  const limits = (ranges ?? []).filter(isLimitRange)
  const demands = workloadsOf(manifests).map((workload) =>
    podDemandOf(workload, { ranges: limits, pods: pods.filter((pod) => !isOver(pod)) }),
  )
  const violations = [
    ...demands.flatMap((demand) => podViolations(demand, limits)),
    ...claims.flatMap((claim) => claimViolations(claim, limits)),
  ]
  const demand = { pods: demands, claims, objects }
  return [
    ...(ranges === undefined ? [unseen('limits', 'LimitRanges')] : []),
    ...violations.map(({ hint, message }): Finding => ({
      subject: 'limits',
      level: 'problem',
      message,
      ...(hint === undefined ? {} : { hint }),
    })),
    ...(quotas === undefined ? [unseen('quota', 'ResourceQuotas')] : []),
    ...(quotas ?? []).filter(isQuota).map((quota) => quotaFinding(quota, demand, place)),
  ]
}

function isLimitRange(object: HostObject): object is LimitRange {
  return object.kind === 'LimitRange'
}

function isQuota(object: HostObject): object is ResourceQuota {
  return object.kind === 'ResourceQuota'
}

function unseen(subject: string, what: string): Finding {
  return { subject, level: 'ok', message: `you may not see ${what}` }
}

/** Pods that have ended count for no quota. */
function isOver({ status }: HostObject & { status?: { phase?: string } }): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded'
}
