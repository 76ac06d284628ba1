import { kubectl } from '../../context/kubectl-hint.ts'
import { specPathOf } from '../../context/object-names.ts'
import { toTimeMs, eventsAbout } from '../../host/host-pod.ts'
import type { ContainerStatus, HostEvent, Pod, Terminated } from '../../host/host-pod.ts'
import { missingPath } from '../volumes/mount-problem.ts'
import { imageProblem } from './image-problem.ts'
import type { Problem, ProblemContext } from '../../context/problem.ts'

/** Failures that every attempt has: the program does not exist, or may not be executed. */
const NO_PROGRAM =
  /no such file or directory|permission denied|operation not permitted|exec format error|executable file not found/i

/**
 * Failures of an overloaded node, or of a container that was stopped while it started, such as
 * https://github.com/containerd/containerd/issues/4604: the kubelet tries again.
 */
const TRANSIENT =
  /context (?:deadline exceeded|canceled)|timed out|is reserved for|cgroup|ttrpc|connection (?:refused|reset)|already finished|no such process|has stopped/i

/** How often a container may fail to start for such reasons, and for others. */
const PATIENT_STARTS = 5
const STARTS = 1

/** Prefixes that each layer of the container runtime adds to the message. */
const LAYERS =
  /^(?:rpc error: code = \w+ desc = |failed to (?:create|start) \w+ (?:task|container)(?: "[^"]*")?: |(?:OCI runtime|runc) create failed: |unable to start container process: )+/

/**
 * A container that ran for this long did start, in milliseconds: the kubelet resets its back-off too.
 * https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy
 */
const WORKED_MS = 600_000

/** The longest time that the kubelet waits before it starts a container again, in milliseconds. */
const LONGEST_BACK_OFF_MS = 300_000

/** Returns why the first failing container does not run; init containers come first. */
export function containerProblem(
  pod: Pod,
  events: readonly HostEvent[],
  context: ProblemContext,
): Problem | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  for (const status of [...initContainerStatuses, ...containerStatuses]) {
    const found =
      imageProblem(pod, { events, status, context }) ??
      startProblem(pod, status, context) ??
      endProblem(pod, { events, status }, context)
    if (found !== undefined) {
      return found
    }
  }
  return undefined
}

function startProblem(
  { metadata }: Pod,
  { name, restartCount = 0, state }: ContainerStatus,
  context: ProblemContext,
): Problem | undefined {
  const { message = '', reason = '' } = state?.waiting ?? notStarted(state?.terminated) ?? {}
  const hints = [kubectl(context, `describe pod ${metadata.name}`)]
  switch (reason) {
    case 'CreateContainerConfigError': {
      const waitsFor = missingPath(message, context)
      return {
        state: reason,
        reason: `container "${name}" cannot be created: ${message}`,
        hints,
        final: waitsFor === undefined,
        waitsFor,
      }
    }
    case 'CreateContainerError':
    case 'RunContainerError':
    case 'StartError':
    case 'PostStartHookError':
      return {
        state: reason,
        reason: `container "${name}" cannot start: ${withoutPrefixes(message)}`,
        hints,
        final: TRANSIENT.test(message)
          ? restartCount >= PATIENT_STARTS
          : NO_PROGRAM.test(message) || restartCount >= STARTS,
      }
    default:
      return undefined
  }
}

function notStarted(terminated: Terminated | undefined): Terminated | undefined {
  return terminated?.reason === 'StartError' ? terminated : undefined
}

/** The program has ended, and the kubelet starts it again. */
function endProblem(
  pod: Pod,
  { events, status }: { status: ContainerStatus; events: readonly HostEvent[] },
  context: ProblemContext,
): Problem | undefined {
  const { lastState, name, restartCount = 0, state } = status
  const isBackingOff = state?.waiting?.reason === 'CrashLoopBackOff'
  const end = state?.terminated ?? (isBackingOff ? lastState?.terminated : undefined)
  if (end === undefined || (end.exitCode === 0 && isInitContainer(pod, name))) {
    return undefined
  }
  if (end.reason === 'StartError') {
    return startProblem(pod, { name, restartCount, state: { terminated: end } }, context)
  }
  // The kubelet does not report the reason of every kill.
  const isOutOfMemory = [end, lastState?.terminated].some((one) => one?.reason === 'OOMKilled')
  if (isOutOfMemory) {
    return outOfMemory(pod, name, context)
  }
  const probe = eventsAbout(pod, events, 'Unhealthy')
    .map(({ message = '' }) => message.trim().replace(/^\w/, (letter) => letter.toLowerCase()))
    .findLast((message) => /^(?:liveness|startup) probe/.test(message))
  const isKilled = (end.exitCode ?? 0) > 128
  const isProbed = isKilled && probe !== undefined && couldKill(probe, { pod, name, end })
  const ended = `${name} has ended with exit code ${end.exitCode}`
  return {
    state: isBackingOff ? 'CrashLoopBackOff' : (end.reason ?? 'Error'),
    reason: isProbed ? `${name} was killed: ${probe}` : ended,
    hints: [{ action: 'logs', plane: { name: context.name }, what: context.component }],
    final: false,
    crash: {
      container: name,
      times: hasWorked(end) || isRare(end, { pod, restartCount }) ? 1 : restartCount + 1,
      isKilled,
      isProbed,
      startedAtMs: toTimeMs(end.startedAt),
    },
  }
}

/** A probe fails before a program listens; it kills only after it has failed several times. */
function couldKill(
  probe: string,
  { end, name, pod }: { pod: Pod; name: string; end: Terminated },
): boolean {
  const container = pod.spec?.containers?.find((one) => one.name === name)
  const times = probe.startsWith('startup') ? container?.startupProbe : container?.livenessProbe
  if (times === undefined) {
    return true
  }
  const { failureThreshold = 3, periodSeconds = 10 } = times
  return ranMs(end) >= (failureThreshold - 1) * periodSeconds * 1000
}

function hasWorked(end: Terminated): boolean {
  return ranMs(end) >= WORKED_MS
}

function ranMs({ finishedAt = '', startedAt = '' }: Terminated): number {
  return Date.parse(finishedAt) - Date.parse(startedAt)
}

/** The count of restarts is that of the whole life of a pod: of one that lives for long, they were apart. */
function isRare(
  { finishedAt = '' }: Terminated,
  { pod, restartCount }: { pod: Pod; restartCount: number },
): boolean {
  const livedMs = Date.parse(finishedAt) - Date.parse(pod.status?.startTime ?? '')
  return livedMs / (restartCount + 1) > LONGEST_BACK_OFF_MS
}

function outOfMemory({ metadata, spec }: Pod, name: string, context: ProblemContext): Problem {
  const { component } = context
  // The spec sets the limits of the component's own container.
  const isBeside = name !== component && spec?.containers?.some((one) => one.name === component)
  const limit = spec?.containers?.find((one) => one.name === name)?.resources?.limits?.['memory']
  const ofLimit = limit === undefined ? '' : ` of ${limit}`
  return {
    state: 'OOMKilled',
    reason: `${name} needs more memory than its limit${ofLimit}`,
    hints: [
      isBeside === true
        ? kubectl(context, `describe pod ${metadata.name}`)
        : { set: `${specPathOf(component)}.resources.limits.memory=QUANTITY` },
    ],
    final: true,
  }
}

function isInitContainer({ status }: Pod, name: string): boolean {
  return status?.initContainerStatuses?.some((one) => one.name === name) ?? false
}

function withoutPrefixes(message: string): string {
  return message.replace(LAYERS, '').replace(/: unknown$/, '')
}
