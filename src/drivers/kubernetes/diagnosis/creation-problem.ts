import { kubectl } from '../context/kubectl-hint.ts'
import { explainRefusal } from '../preflight/admission/explain-refusal.ts'
import { isObserved } from '../observed/workloads.ts'
import { eventsAbout, type HostEvent } from '../host/host-pod.ts'
import type { Workload } from '../host/workload.ts'
import type { Problem, ProblemContext } from '../context/problem.ts'

/**
 * Returns why the host refuses to create pods: quotas, limits, Pod Security, policies or webhooks. Undefined when they
 * exist, the host reports no reason, or it has not observed the last change.
 */
export function creationProblem(
  workload: Workload,
  events: readonly HostEvent[],
  context: ProblemContext,
): Problem | undefined {
  const { metadata, spec, status } = workload
  if (!isObserved(workload) || (status?.replicas ?? 0) >= (spec?.replicas ?? 1)) {
    return undefined
  }
  // Deployments have a current condition; StatefulSets only have events.
  const message =
    status?.conditions?.find(({ type, status: is }) => type === 'ReplicaFailure' && is === 'True')
      ?.message ?? eventsAbout(workload, events, 'FailedCreate').at(-1)?.message
  if (message === undefined) {
    return undefined
  }
  const { component } = context
  const finding = explainRefusal({ status: 403, message, kind: 'pods', component }, context)
  if (finding === undefined) {
    return undefined
  }
  return {
    state: 'FailedCreate',
    reason: `the host cluster refuses its pods: ${finding.subject}: ${finding.message}`,
    hints: [
      ...[finding.hint ?? []].flat(),
      kubectl(context, `describe ${workload.kind.toLowerCase()} ${metadata.name}`),
    ],
    final: finding.isTransient !== true,
    // A refused volume claim cannot be checked with a pod alone.
    isRefused: !message.includes('persistentvolumeclaims'),
  }
}
