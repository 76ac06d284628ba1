import { kubectl } from '../../context/kubectl-hint.ts'
import {
  failedCondition,
  type HostEvent,
  eventsAbout,
  type Pod,
  timesReported,
} from '../../host/host-pod.ts'
import type { Problem, ProblemContext } from '../../context/problem.ts'

const REASONS = ['FailedMount', 'FailedAttachVolume', 'FailedMapVolume']

/** The kubelet tries after 0.5, 1, 2, 4 and 8 seconds; then the problem is final. */
const PATIENT_TRIES = 5

/**
 * Messages of a kubelet that has not read the objects of the pod yet, or is overloaded:
 * https://github.com/kubernetes/kubernetes/issues/99475
 */
const TRANSIENT =
  /failed to sync (?:secret|configmap) cache|object "[^"]*"\/"[^"]*" not registered/i

const MISSING = /(secret|configmap) "([^"]+)" not found/

/** Returns why a volume cannot be mounted into a scheduled pod. */
export function mountProblem(
  pod: Pod,
  events: readonly HostEvent[],
  context: ProblemContext,
): Problem | undefined {
  const found = eventsAbout(pod, events, ...REASONS)
  const last = found.at(-1)
  if (last === undefined || !isWaitingForVolumes(pod)) {
    return undefined
  }
  const message = (last.message ?? '').trim()
  const waitsFor = missingPath(message, context)
  return {
    state: last.reason ?? 'FailedMount',
    reason: message.replace(
      /^MountVolume\.\w+ failed for volume ("[^"]*") ?: /,
      'volume $1 cannot be mounted: ',
    ),
    hints: [kubectl(context, `describe pod ${pod.metadata.name}`)],
    final: waitsFor === undefined && isPatienceOver(last.reason, found.filter(isOwnFault)),
    waitsFor,
  }
}

/** Returns the path of a Secret or ConfigMap that does not exist. */
export function missingPath(
  message: string,
  { namespace }: Pick<ProblemContext, 'namespace'>,
): string | undefined {
  const [, kind, name] = MISSING.exec(message) ?? []
  return kind && `/api/v1/namespaces/${namespace}/${kind}s/${name}`
}

/** Whether an event is about the volume itself: not about an object that may still be created, or about the node. */
function isOwnFault({ message = '' }: HostEvent): boolean {
  return !MISSING.test(message) && !TRANSIENT.test(message)
}

/** Another node may have to detach a volume first, which takes minutes. */
function isPatienceOver(reason: string | undefined, events: readonly HostEvent[]): boolean {
  return reason !== 'FailedAttachVolume' && timesReported(events) >= PATIENT_TRIES
}

function isWaitingForVolumes(pod: Pod): boolean {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  const waiting = ['ContainerCreating', 'PodInitializing', undefined]
  return (
    failedCondition(pod, 'PodScheduled') === undefined &&
    [...initContainerStatuses, ...containerStatuses].every(
      ({ state }) =>
        state?.running === undefined &&
        state?.terminated === undefined &&
        waiting.includes(state?.waiting?.reason),
    )
  )
}
