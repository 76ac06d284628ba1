import { type Json, numberAt, recordAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/**
 * Whether all containers of a pod may run from the start, in another host pod. The API refuses a status in which one runs
 * that has terminated, unless its restart policy allows that: ValidateContainerStateTransition in
 * pkg/apis/core/validation/validation.go. Restart rules of single containers are not taken into account.
 */
export function canStartAgain(pod: KubeObject): boolean {
  const ofPod = textAt(pod, 'spec', 'restartPolicy') ?? 'Always'
  return (['containers', 'initContainers'] as const).every((list) =>
    recordsAt(pod, 'spec', list).every((container) => {
      const policy = textAt(container, 'restartPolicy') ?? ofPod
      const exitCode = exitCodeOf(pod, STATUSES[list], container)
      return (
        exitCode === undefined || policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
      )
    }),
  )
}

const STATUSES = { containers: 'containerStatuses', initContainers: 'initContainerStatuses' }

function exitCodeOf(pod: KubeObject, list: string, { name }: Json): number | undefined {
  const status = recordsAt(pod, 'status', list).find((one) => one['name'] === name)
  return numberAt(status, 'state', 'terminated', 'exitCode')
}

/** The statuses of a pod's ephemeral containers that have terminated, which never run again. */
export function endedEphemeral(pod: KubeObject): Json[] {
  return recordsAt(pod, 'status', 'ephemeralContainerStatuses').filter(
    (status) => recordAt(status, 'state', 'terminated') !== undefined,
  )
}
