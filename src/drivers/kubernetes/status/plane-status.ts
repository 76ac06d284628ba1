import { componentsOf } from '../../../control-plane/plane/plane.ts'
import {
  pausedReason,
  type ComponentStatus,
  type PlaneStatus,
} from '../../../control-plane/status/plane-status.ts'
import { runsWhilePaused } from '../../../control-plane/plane/runs-while-paused.ts'
import { isNeverStarted } from '../../../control-plane/plane/recorded-plane.ts'
import { fenceOf } from '../../../control-plane/plane/fence.ts'
import type { ComponentProblem } from '../context/problem.ts'
import { isUnfinished, type PlaneRecord } from '../record/plane-record.ts'
import { keptOf } from '../keeper/is-kept.ts'
import { replicasOf, wantedReplicas } from '../observed/workloads.ts'
import { componentStatus } from './component-status.ts'
import { isYoung } from '../observed/is-young.ts'
import { isReadyPod, type ObservedPlane } from '../observed/observed-plane.ts'

export interface StatusFacts {
  observed: ObservedPlane
  problems: readonly ComponentProblem[]
  now: Date
}

/** Returns the status of a plane from its record and its state on the host. */
export function planeStatus(record: PlaneRecord, facts: StatusFacts): PlaneStatus {
  const { observed, problems } = facts
  const isWanted = record.desired === 'running' && record.isComplete
  // While a plane changes, its workloads follow its record one by one.
  const isSettled = isWanted && !isUnfinished(record)
  const components = componentsOf(record.spec).map((name): ComponentStatus => {
    if (name === 'keeper' && keptOf(record) !== 'true') {
      // That of the namespace may run for other planes.
      return { name, state: 'stopped' }
    }
    return componentStatus(name, {
      observed,
      isWanted,
      recorded: isSettled ? replicasOf(record, name) : undefined,
      problem: problems.find(({ component }) => component === name),
    })
  })
  const { certificatesExpireAt } = record
  const isGone = isWanted && haveNoPods(components, observed)
  return {
    ...phaseOf(record, components, facts),
    components: isGone ? components.map(stopped) : components,
    ...(certificatesExpireAt && { certificatesExpireAt: new Date(certificatesExpireAt) }),
  }
}

function phaseOf(
  record: PlaneRecord,
  components: readonly ComponentStatus[],
  facts: StatusFacts,
): Pick<PlaneStatus, 'phase' | 'reason' | 'hints'> {
  const plane = { name: record.name }
  if (record.journal?.operation === 'remove') {
    const hint = { purpose: 'to continue', action: 'delete', plane } as const
    return { phase: 'NotReady', reason: 'half deleted', hints: [hint] }
  }
  const fence = fenceOf(record)
  if (fence !== undefined) {
    return { phase: 'Fenced', reason: fence }
  }
  if (record.desired !== 'running') {
    return isPaused(record, components)
      ? { phase: 'Paused', ...pausedReason({ ...record, isNew: isNeverStarted(record) }) }
      : { phase: 'NotReady', reason: 'it is to be paused, and components still run' }
  }
  if (!record.isComplete) {
    const hint = { purpose: 'to continue', action: 'create', plane } as const
    return { phase: 'Creating', reason: 'not finished yet', hints: [hint] }
  }
  if (haveNoPods(components, facts.observed)) {
    const reason = 'any use of its context starts it'
    return { phase: 'Stopped', reason, hints: [{ action: 'resume', plane }] }
  }
  const failed = components.find(({ state }) => state === 'failed')
  if (failed !== undefined) {
    return { phase: 'NotReady', ...reportedMessage(failed, 'has ended', facts) }
  }
  const waiting = components.find(({ state }) => state !== 'running')
  if (waiting === undefined) {
    return { phase: 'Ready' }
  }
  const reported = reportedMessage(waiting, 'is not ready yet', facts)
  return { phase: isStarting(waiting, facts) ? 'Starting' : 'NotReady', ...reported }
}

function reportedMessage(
  { name, reason }: ComponentStatus,
  otherwise: string,
  { problems }: StatusFacts,
): Pick<PlaneStatus, 'reason' | 'hints'> {
  const problem = problems.find((one) => one.component === name && one.reason === reason)
  return {
    reason: reason === undefined ? `${name} ${otherwise}` : `${name}: ${reason}`,
    ...(problem === undefined ? {} : { hints: problem.hints }),
  }
}

function isPaused({ spec }: PlaneRecord, components: readonly ComponentStatus[]): boolean {
  return components.every(({ name, state }) => state === 'stopped' || runsWhilePaused(spec, name))
}

/** Whether no component of the plane alone has a pod or gets one: all were scaled to 0, or their workloads were deleted. */
function haveNoPods(components: readonly ComponentStatus[], { workload }: ObservedPlane): boolean {
  const own = components.filter(({ name }) => name !== 'keeper')
  return own.every(({ instance, name }) => {
    const found = workload(name)
    return instance === undefined && (found === undefined || wantedReplicas(found) === 0)
  })
}

function stopped({ reason: _reason, ...component }: ComponentStatus): ComponentStatus {
  return { ...component, state: 'stopped' }
}

function isStarting({ name }: ComponentStatus, { observed, now }: StatusFacts): boolean {
  const pods = observed.pods(name)
  return pods.length === 0 || pods.some((pod) => !isReadyPod(pod) && isYoung(pod, now))
}
