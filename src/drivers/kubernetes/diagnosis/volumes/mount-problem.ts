import { kubectl } from '../../context/kubectl-hint.ts'
import {
  failedCondition,
  type HostNote,
  notesAbout,
  type Pod,
  timesNoted,
} from '../../host/host-pod.ts'
import type { Problem, ProblemContext } from '../../context/problem.ts'

const REASONS = ['FailedMount', 'FailedAttachVolume', 'FailedMapVolume']

/** The kubelet tries after 0.5, 1, 2, 4 and 8 seconds: what is not there by then is not on its way. */
const PATIENT_TRIES = 5

/**
 * What a kubelet says that has not yet read what the pod needs, or has too much to do:
 * https://github.com/kubernetes/kubernetes/issues/99475
 */
const PASSING = /failed to sync (?:secret|configmap) cache|object "[^"]*"\/"[^"]*" not registered/i

const MISSING = /(secret|configmap) "([^"]+)" not found/

/** Why a volume cannot be mounted into a pod that has a node. */
export function mountProblem(
  pod: Pod,
  notes: readonly HostNote[],
  context: ProblemContext,
): Problem | undefined {
  const found = notesAbout(pod, notes, ...REASONS)
  const last = found.at(-1)
  if (last === undefined || !isWaitingForVolumes(pod)) {
    return undefined
  }
  const message = (last.message ?? '').trim()
  const [, kind, missing] = MISSING.exec(message) ?? []
  return {
    state: last.reason ?? 'FailedMount',
    reason: message.replace(
      /^MountVolume\.\w+ failed for volume ("[^"]*") ?: /,
      'volume $1 cannot be mounted: ',
    ),
    hints: [kubectl(context, `describe pod ${pod.metadata.name}`)],
    final: missing === undefined && isPatienceOver(last.reason, found.filter(isOwnFault)),
    ...(missing === undefined
      ? {}
      : { waitsFor: `/api/v1/namespaces/${context.namespace}/${kind}s/${missing}` }),
  }
}

/** Not of something that may come, or of the node. */
function isOwnFault({ message = '' }: HostNote): boolean {
  return !MISSING.test(message) && !PASSING.test(message)
}

/** Another node may have to let go of a volume first, which takes minutes. */
function isPatienceOver(reason: string | undefined, notes: readonly HostNote[]): boolean {
  return reason !== 'FailedAttachVolume' && timesNoted(notes) >= PATIENT_TRIES
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
