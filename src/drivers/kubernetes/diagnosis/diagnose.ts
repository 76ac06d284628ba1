import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { isLeaving, type KubeObject } from '../../../shared/kube/kube-object.ts'
import type { DiagnosisRequest } from '../context/context.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import { isMissing } from '../host/is-missing.ts'
import { claimProblem } from './volumes/claim-problem.ts'
import type { ComponentProblem, Crash, Problem } from '../context/problem.ts'
import { crashProblem } from './pods/crash-problem.ts'
import { creationProblem } from './creation-problem.ts'
import { failedCondition, momentOf, type Pod } from '../host/host-pod.ts'
import { areNodesComing } from './nodes-coming.ts'
import { collectEvidence, type Surroundings } from './collect-evidence.ts'
import { endedProblem } from './pods/ended-problem.ts'
import { terminatingProblem, podProblem } from './pods/pod-problem.ts'
import { strandedVolume } from './volumes/stranded-volume.ts'
import { trialPod } from '../preflight/admission/try-out.ts'
import type { Workload } from '../host/workload.ts'
import { readLastLines } from '../../../kube/client/read-last-lines.ts'
import type { Hint } from '../../../shared/hint.ts'

/**
 * How long no node may take a pod, in milliseconds, before that is final: autoscalers look every 10 s
 * (https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md, `scan-interval`), and what others end
 * leaves room.
 */
const ROOM_MS = 20_000

/**
 * Why components of a plane do not run, in the order of their start; nothing of those that run, or only need time. One
 * problem of each: its pods mostly have the same one, and what does not pass by itself says more than what may.
 *
 * @throws {VplaneError} `UNREACHABLE`, `TIMED_OUT` or `FAILED` when the host cluster cannot be asked.
 */
export async function diagnose(request: DiagnosisRequest): Promise<ComponentProblem[]> {
  const seen = await collectEvidence(request.api, request)
  const problems = await Promise.all(
    ALL_COMPONENT_NAMES.map(async (component) => {
      const found = await Promise.all(
        problemsOf(component, seen, request).map(async ({ object, problem }) => ({
          object,
          problem: await settled(problem, { component, object, request, seen }),
        })),
      )
      const worst = found.find(({ problem }) => problem.final) ?? found[0]
      return worst === undefined ? [] : [toComponentProblem(component, worst)]
    }),
  )
  return problems.flat()
}

interface Found {
  object: KubeObject
  problem: Problem
}

/** What is wrong with a component: pods that are not made, volumes that are not there, pods that do not run. */
function problemsOf(
  component: AnyComponentName,
  { claims, makers, notes, pods, superseded }: Surroundings,
  { hostContext, name, namespace }: DiagnosisRequest,
): Found[] {
  const context = { component, hostContext, name, namespace }
  const isTerminating = (pod: Pod) => superseded.includes(pod) || isLeaving(pod)
  const { going = [], staying = [] } = Object.groupBy(pods(component), (pod) =>
    isTerminating(pod) ? 'going' : 'staying',
  )
  const { ended = [], living = [] } = Object.groupBy(staying, ({ status }) =>
    status?.phase === 'Failed' ? 'ended' : 'living',
  )
  const found = [
    ...makers(component).map((object) => ({
      object,
      problem: creationProblem(object, notes, context),
    })),
    ...claims(component).map((object) => ({
      object,
      problem: claimProblem(object, notes, context),
    })),
    ...living.map((object) => ({ object, problem: podProblem(object, notes, context) })),
    ...going.map((object) => ({ object, problem: terminatingProblem(object, context) })),
    ...ended.slice(-1).map((object) => ({
      object,
      problem: living.some(isReady) ? undefined : endedProblem(object, ended.length, context),
    })),
  ]
  return found.flatMap(({ object, problem }) =>
    problem === undefined ? [] : [{ object, problem }],
  )
}

interface Settling {
  component: AnyComponentName
  object: KubeObject
  request: DiagnosisRequest
  seen: Surroundings
}

/** Asks the host what a problem alone does not say: the words of a container that has ended, whether something is there. */
async function settled(
  problem: Problem,
  { component, object, request, seen }: Settling,
): Promise<Problem> {
  const { api, name, namespace, now, signal } = request
  if (problem.waitsFor !== undefined) {
    return { ...problem, final: await isMissing(api, problem.waitsFor, signal) }
  }
  if (problem.isRefused === true && problem.final) {
    const isStill = await isStillRefused(object, { api, namespace, signal })
    const reason = `${problem.reason}; it would take them now, and tries again`
    return isStill ? problem : { ...problem, reason, final: false }
  }
  const claim = problem.boundBy
  const stranded =
    claim === undefined ? undefined : await strandedVolume(api, { ...request, claim }, signal)
  if (stranded !== undefined) {
    const repair: Hint = { action: 'repair', plane: { name, namespace } }
    return { ...problem, reason: stranded.reason, hints: [repair, ...stranded.hints], final: true }
  }
  // Where the clock of the host is another one, it is not waited.
  if (Math.abs(now.getTime() - (problem.unfitSinceMs ?? 0)) < ROOM_MS) {
    return { ...problem, final: false }
  }
  if (
    problem.isCrowded === true &&
    ALL_COMPONENT_NAMES.some((one) => seen.pods(one).some(isLeaving))
  ) {
    return { ...problem, final: false }
  }
  if (problem.isTainted === true) {
    return { ...problem, final: !(await areNodesComing(api, signal)) }
  }
  const { crash } = problem
  if (crash === undefined) {
    return problem
  }
  const place = { pod: object.metadata.name ?? '', namespace, container: crash.container }
  const lines = await readLastLines(api, place, signal)
  return crashProblem(problem, { crash, lines, isServed: wasServed(component, seen, crash) })
}

/** Whether the host would not take a pod of a workload now either, as far as the user may ask. */
async function isStillRefused(
  maker: Workload,
  { api, namespace, signal }: Pick<DiagnosisRequest, 'api' | 'namespace' | 'signal'>,
): Promise<boolean> {
  try {
    const path = collectionPath('pods', namespace)
    await api.create(path, trialPod(maker), { dryRun: true, signal })
    return false
  } catch (error) {
    if (httpStatusOf(error) === undefined) {
      throw error
    }
    return true
  }
}

/**
 * Whether the components that are started before one were ready when the run began that has ended: on a host that takes
 * minutes for kube-apiserver, kube-controller-manager has ended a few times before it could do anything.
 */
function wasServed(
  component: AnyComponentName,
  { pods }: Surroundings,
  { startedAtMs = Infinity }: Crash,
): boolean {
  return ALL_COMPONENT_NAMES.slice(0, ALL_COMPONENT_NAMES.indexOf(component)).every((other) =>
    pods(other).some((pod) => isReady(pod) && readySinceMs(pod) <= startedAtMs),
  )
}

/** In milliseconds since the epoch; 0 when the host does not say. */
function readySinceMs({ status }: Pod): number {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return momentOf(ready?.lastTransitionTime) ?? 0
}

function isReady(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && failedCondition(pod, 'Ready') === undefined
}

function toComponentProblem(
  component: AnyComponentName,
  { object, problem }: Found,
): ComponentProblem {
  const { final, hints, log, reason, state } = problem
  const name = `${object.kind} "${object.metadata.name}"`
  return { component, object: name, state, reason, hints, final, ...(log && { log }) }
}
