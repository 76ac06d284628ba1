import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { kubectl } from '../context/kubectl-hint.ts'
import { explainRefusal } from '../preflight/admission/explain-refusal.ts'
import { isObserved } from '../observed/workloads.ts'
import { type Condition, type HostNote, notesAbout } from '../host/host-pod.ts'
import type { Problem, ProblemContext } from '../context/problem.ts'

/** A StatefulSet or a Deployment. */
export interface Maker extends KubeObject {
  spec?: { replicas?: number }
  status?: { replicas?: number; conditions?: Condition[] }
}

export function isMaker(object: KubeObject): object is Maker {
  return object.kind === 'StatefulSet' || object.kind === 'Deployment'
}

/**
 * Why pods are not even created: the host refuses them, by quota, limits, Pod Security, policies or webhooks. Undefined
 * when they are there, the reason passes, or the host has not looked at what was changed last.
 */
export function creationProblem(
  maker: Maker,
  notes: readonly HostNote[],
  context: ProblemContext,
): Problem | undefined {
  const { metadata, spec, status } = maker
  if (!isObserved(maker) || (status?.replicas ?? 0) >= (spec?.replicas ?? 1)) {
    return undefined
  }
  // Deployments say it themselves and take it back; for StatefulSets the last note has to do.
  const said =
    status?.conditions?.find(({ type, status: is }) => type === 'ReplicaFailure' && is === 'True')
      ?.message ?? notesAbout(maker, notes, 'FailedCreate').at(-1)?.message
  const finding =
    said === undefined
      ? undefined
      : explainRefusal(
          { status: 403, message: said, kind: 'pods', component: context.component },
          context,
        )
  return finding === undefined
    ? undefined
    : {
        state: 'FailedCreate',
        reason: `the host cluster refuses its pods: ${finding.subject}: ${finding.message}`,
        hints: [
          ...[finding.hint ?? []].flat(),
          kubectl(context, `describe ${maker.kind.toLowerCase()} ${metadata.name}`),
        ],
        final: !isTransient(finding.message),
        // What it says of volume claims, a pod alone does not show.
        isRefused: said?.includes('persistentvolumeclaims') === false,
      }
}

/** A webhook that does not answer may only be starting; a volume claim that goes is made again when it is gone. */
function isTransient(message: string): boolean {
  return ['does not answer', 'is being deleted'].some((words) => message.includes(words))
}
