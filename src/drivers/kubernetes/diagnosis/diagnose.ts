import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { isLeaving, type KubeObject } from '../../../shared/kube/kube-object.ts'
import type { DiagnosisRequest } from '../context/context.ts'
import { recordsAt } from '../../../shared/json-fields.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import { claimProblem } from './volumes/claim-problem.ts'
import type { ComponentProblem, Problem } from '../context/problem.ts'
import { crashProblem } from './pods/crash-problem.ts'
import { creationProblem } from './creation-problem.ts'
import { failedCondition, type Pod, toTimeMs } from '../host/host-pod.ts'
import { isMissing, unlessRefused } from '../host/unless-refused.ts'
import { collectEvidence, type Evidence } from './collect-evidence.ts'
import { lostFileProblem } from './pods/lost-file-problem.ts'
import { endedProblem, podProblem, terminatingProblem } from './pods/pod-problem.ts'
import { strandedVolume } from './volumes/stranded-volume.ts'
import { trialPod } from '../preflight/admission/try-out.ts'
import type { Workload } from '../host/workload.ts'
import { readLastLines } from '../../../kube/client/read-last-lines.ts'
import type { Hint } from '../../../shared/hint.ts'

/**
 * How long a pod may be unschedulable before that is final, in milliseconds: autoscalers check every 10 s
 * (https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md, `scan-interval`), and pods that end
 * free capacity.
 */
const UNSCHEDULABLE_MS = 20_000

/** What each component connects to through a Service. */
const NEEDED: Partial<Record<AnyComponentName, AnyComponentName>> = {
  'kube-apiserver': 'etcd',
  'kube-controller-manager': 'kube-apiserver',
  'kube-scheduler': 'kube-apiserver',
  syncer: 'kube-apiserver',
}

/** Taints that the host removes itself once a node is up. */
const TRANSIENT_TAINTS = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/network-unavailable',
  'node.cloudprovider.kubernetes.io/uninitialized',
])

/**
 * Returns why components of a plane do not run, in the order of their start; nothing for those that run, or only need
 * time. One problem for each component: its pods usually have the same one, and final problems come first.
 *
 * @throws {VplaneError} `UNREACHABLE`, `TIMED_OUT` or `FAILED` when the host cluster does not respond.
 */
export async function diagnose(request: DiagnosisRequest): Promise<ComponentProblem[]> {
  const evidence = await collectEvidence(request.api, request)
  const problems = await Promise.all(
    ALL_COMPONENT_NAMES.map(async (component) => {
      const found = await Promise.all(
        problemsOf(component, evidence, request).map(async ({ object, problem }) => ({
          object,
          problem: await settled(problem, { component, object, request, evidence }),
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

/** Pods that are not created, missing volumes, pods that do not run. */
function problemsOf(
  component: AnyComponentName,
  { claims, events, pods, superseded, workloads }: Evidence,
  { hostContext, name, namespace }: DiagnosisRequest,
): Found[] {
  const context = { component, hostContext, name, namespace }
  const isTerminating = (pod: Pod) => superseded.includes(pod) || isLeaving(pod)
  const terminating = pods(component).filter(isTerminating)
  const staying = pods(component).filter((pod) => !isTerminating(pod))
  const { ended = [], living = [] } = Object.groupBy(staying, ({ status }) =>
    status?.phase === 'Failed' ? 'ended' : 'living',
  )
  const last = living.some(isReady) ? [] : ended.slice(-1)
  return [
    ...foundIn(workloads(component), (one) => creationProblem(one, events, context)),
    ...foundIn(claims(component), (one) => claimProblem(one, events, context)),
    ...foundIn(living, (one) => podProblem(one, events, context)),
    ...foundIn(terminating, (one) => terminatingProblem(one, context)),
    ...foundIn(last, (one) => endedProblem(one, ended.length, context)),
  ]
}

function foundIn<T extends KubeObject>(
  objects: readonly T[],
  problemOf: (object: T) => Problem | undefined,
): Found[] {
  return objects.flatMap((object) => {
    const problem = problemOf(object)
    return problem === undefined ? [] : [{ object, problem }]
  })
}

interface Settling {
  component: AnyComponentName
  object: KubeObject
  request: DiagnosisRequest
  evidence: Evidence
}

/** Reads what decides: the log of an ended container, or whether a missing object exists now. */
async function settled(
  problem: Problem,
  { component, evidence, object, request }: Settling,
): Promise<Problem> {
  const { api, name, namespace, now, signal } = request
  if (problem.waitsFor !== undefined) {
    return { ...problem, final: await isMissing(api, problem.waitsFor, signal) }
  }
  if (problem.isRefused === true && problem.final) {
    const isStill = await isStillRefused(object, { api, namespace, signal })
    const reason = `${problem.reason}; it would accept them now, and tries again`
    return isStill ? problem : { ...problem, reason, final: false }
  }
  const claim = problem.boundBy
  const stranded =
    claim === undefined ? undefined : await strandedVolume(api, { ...request, claim }, signal)
  if (stranded !== undefined) {
    const repair: Hint = { action: 'repair', plane: { name, namespace } }
    return { ...problem, reason: stranded.reason, hints: [repair, ...stranded.hints], final: true }
  }
  // If the clock of the host differs, vplane does not wait.
  const isNew = Math.abs(now.getTime() - (problem.unfitSinceMs ?? 0)) < UNSCHEDULABLE_MS
  const isAnyLeaving = ALL_COMPONENT_NAMES.some((one) => evidence.pods(one).some(isLeaving))
  if (isNew || (problem.isCrowded === true && isAnyLeaving)) {
    return { ...problem, final: false }
  }
  if (problem.isTainted === true) {
    return { ...problem, final: !(await areNodesComing(api, signal)) }
  }
  if (component === 'kine' && problem.state === 'Unhealthy') {
    const { name: pod = '' } = object.metadata
    const lines = await readLastLines(api, { pod, namespace, container: component }, signal)
    return lostFileProblem(lines, { name, namespace }) ?? problem
  }
  const { crash } = problem
  if (crash === undefined) {
    return problem
  }
  const { name: pod = '', uid = '' } = object.metadata
  const lines = await readLastLines(api, { pod, namespace, container: crash.container }, signal)
  const servedSince = servedSinceMs(component, evidence)
  const isServedNow = servedSince < Infinity
  const isServed = isServedNow && servedSince <= (crash.startedAtMs ?? Infinity)
  const isDelayed = problem.state === 'CrashLoopBackOff' && isServedNow && !isServed
  return {
    ...crashProblem(problem, { crash, lines, isServed, needs: neededBy(component, evidence) }),
    delayed: isDelayed ? { name: pod, uid } : undefined,
  }
}

/** The store of kube-apiserver is the one that exists; an etcd that others use too is none of its components. */
function neededBy(
  component: AnyComponentName,
  { workloads }: Evidence,
): AnyComponentName | undefined {
  const needed = NEEDED[component]
  const stores = ['etcd', 'kine'] as const
  return needed === 'etcd' ? stores.find((store) => workloads(store).length > 0) : needed
}

/** Whether nodes start or may return; false also when the user may not read nodes. */
async function areNodesComing(api: DiagnosisRequest['api'], signal: AbortSignal): Promise<boolean> {
  const nodes = await unlessRefused(api.list(collectionPath('nodes'), { signal }))
  return (nodes?.items ?? []).some((node) =>
    recordsAt(node, 'spec', 'taints').some(({ key }) => TRANSIENT_TAINTS.has(String(key))),
  )
}

/** Whether the host still refuses a pod of a workload in a dry run; true also when the user may not create pods. */
async function isStillRefused(
  workload: Workload,
  { api, namespace, signal }: Pick<DiagnosisRequest, 'api' | 'namespace' | 'signal'>,
): Promise<boolean> {
  try {
    const path = collectionPath('pods', namespace)
    await api.create(path, trialPod(workload), { dryRun: true, signal })
    return false
  } catch (error) {
    if (httpStatusOf(error) === undefined) {
      throw error
    }
    return true
  }
}

/**
 * Since when the components before one are ready, in milliseconds since the epoch; infinity when one is not. On a slow host,
 * kube-controller-manager ends a few times until kube-apiserver is.
 */
function servedSinceMs(component: AnyComponentName, { pods, workloads }: Evidence): number {
  const others = ALL_COMPONENT_NAMES.slice(0, ALL_COMPONENT_NAMES.indexOf(component))
  const existing = others.filter((other) => pods(other).length + workloads(other).length > 0)
  const since = existing.map((other) =>
    Math.min(Infinity, ...pods(other).filter(isReady).map(readySinceMs)),
  )
  return Math.max(0, ...since)
}

/** In milliseconds since the epoch; 0 when the host does not report it. */
function readySinceMs({ status }: Pod): number {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return toTimeMs(ready?.lastTransitionTime) ?? 0
}

function isReady(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && failedCondition(pod, 'Ready') === undefined
}

function toComponentProblem(
  component: AnyComponentName,
  { object, problem }: Found,
): ComponentProblem {
  const { delayed, final, hints, log, reason, state } = problem
  const name = `${object.kind} "${object.metadata.name}"`
  const more = { ...(log && { log }), ...(delayed && { delayed }) }
  return { component, object: name, state, reason, hints, final, ...more }
}
