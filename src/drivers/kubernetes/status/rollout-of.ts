import { isRecord } from '../../../kube/kube-object.ts'
import type { HostObject } from '../host/host-api.ts'

/** How far the host is with a workload as it is now. */
export interface Rollout {
  /** How many of its pods are not as it says. */
  outdated: number
  /** What is left to do. @default nothing */
  reason?: string
}

/**
 * How far the host is with the workload of a component that nobody works on. The pods of etcd are replaced by vplane alone,
 * and may be of another template for long: a restore leaves them so.
 */
export function rolloutOf(workload: HostObject | undefined): Rollout {
  if (workload === undefined) {
    return { outdated: 0 }
  }
  const { kind, metadata, status } = workload
  const counts = isRecord(status) ? status : {}
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0 } = counts
  if (Number(metadata['generation'] ?? 0) > Number(observedGeneration)) {
    return { outdated: Number(replicas), reason: 'the host has not seen its last change yet' }
  }
  const outdated = Math.max(0, Number(replicas) - Number(updatedReplicas))
  if (kind === 'StatefulSet' || outdated === 0) {
    return { outdated: 0 }
  }
  return { outdated, reason: `${outdated} of its pods are to be replaced` }
}
