import { type AnyComponentName, componentsOf } from '../../../control-plane/plane/plane.ts'
import type { PlaneFault } from '../../../control-plane/driver/repair.ts'
import type { ComponentProblem } from '../context/problem.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { replicasOf, wantedReplicas } from '../observed/workloads.ts'
import { isReadyPod, type ObservedPlane } from '../observed/observed-plane.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { isEnding, isYoung } from '../observed/is-young.ts'

/** States that a new pod may repair; a new pod would have all others again. */
const RESTARTED = ['CrashLoopBackOff', 'Error', 'Completed', 'NodeNotReady', 'Unhealthy']

export interface OtherFacts {
  record: PlaneRecord
  observed: ObservedPlane
  problems: readonly ComponentProblem[]
  /** Whether etcd works, which all other components need. */
  isEtcdFine: boolean
  now: Date
}

/** Returns the faults of workloads, and of components except etcd, without those that another one causes. Pure. */
export function otherFaults({
  isEtcdFine,
  now,
  observed,
  problems,
  record,
}: OtherFacts): PlaneFault[] {
  let isServed = isEtcdFine
  return componentsOf(record.spec).flatMap((component): PlaneFault[] => {
    const missing = missingFault(component, { observed, record })
    const found = observed.pods(component)
    if (missing !== undefined || component === 'etcd') {
      isServed &&= found.some(isReadyPod) || missing === undefined
      return missing === undefined ? [] : [missing]
    }
    const transient = found.filter((pod) => isYoung(pod, now) || isEnding(pod, now))
    const problem = problems.find(
      (one) => one.component === component && !isShortLived(one, transient),
    )
    const pods = found.filter((pod) => !isReadyPod(pod) && !transient.includes(pod))
    const faults = (
      problem === undefined
        ? pods.map((pod) => stuck(component, pod.metadata.name))
        : [faultOfProblem(problem)]
    ).filter(({ remedy }) => remedy === 'none' || isServed)
    isServed &&= faults.length === 0
    return faults
  })
}

function missingFault(
  component: AnyComponentName,
  { observed, record }: Pick<OtherFacts, 'observed' | 'record'>,
): PlaneFault | undefined {
  const found = observed.workload(component)
  const live = found === undefined ? 0 : wantedReplicas(found)
  // An interrupted change has not scaled it yet: the same command continues it.
  const isToGrow = record.journal?.operation !== 'change' && live < replicasOf(record, component)
  if (live > 0 && !isToGrow) {
    return undefined
  }
  const reason = found === undefined ? 'its workload is missing' : `someone scaled it to ${live}`
  return { component, instance: component, reason, remedy: 'start' }
}

/** Whether a problem is normal while a pod starts or ends: a restart would only repeat it. */
function isShortLived(problem: ComponentProblem, transient: readonly KubeObject[]): boolean {
  return (
    !problem.final &&
    causeOf(problem).remedy === 'restart' &&
    transient.some(({ metadata }) => problem.object === `Pod "${metadata.name}"`)
  )
}

function faultOfProblem(problem: ComponentProblem): PlaneFault {
  const [, pod] = /^Pod "(.*)"$/.exec(problem.object) ?? []
  const { component } = problem
  return { component, instance: pod ?? component, ...causeOf(problem) }
}

function stuck(component: AnyComponentName, instance: string = component): PlaneFault {
  return { component, instance, reason: 'it does not become ready', remedy: 'restart' }
}

/** Returns the cause and the remedy of a fault from a problem that the host reports. */
export function causeOf({
  hints,
  reason,
  state,
}: Pick<ComponentProblem, 'hints' | 'reason' | 'state'>): Pick<
  PlaneFault,
  'reason' | 'hints' | 'remedy'
> {
  return { reason, hints, remedy: RESTARTED.includes(state) ? 'restart' : 'none' }
}
