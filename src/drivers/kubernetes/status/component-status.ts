import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import type { ComponentStatus } from '../../../control-plane/status/plane-status.ts'
import { recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'
import { KEEPER_PORT, SYNCER_PORTS } from '../../../manifests/ports.ts'
import type { ComponentProblem } from '../context/problem.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { wantedReplicas, isObserved } from '../observed/workloads.ts'
import { containerStarts, isReadyPod, type ObservedPlane } from '../observed/observed-plane.ts'
import { urlHost } from '../../../shared/network/url-host.ts'

const PORTS: Record<AnyComponentName, number> = {
  etcd: 2379,
  'kube-apiserver': 6443,
  'kube-controller-manager': 10_257,
  syncer: SYNCER_PORTS.health,
  'kube-scheduler': 10_259,
  keeper: KEEPER_PORT,
}

export interface ComponentOptions {
  look: ObservedPlane
  /** It is to run. */
  isWanted: boolean
  /** How many pods it is to have, when nothing is being done to it. @default as many as its workload says */
  recorded?: number | undefined
  /** Why it cannot, if somebody knows. */
  problem: ComponentProblem | undefined
}

/** How a component of a plane is: from its workload, its pods, and what is known of why they do not run. */
export function componentStatus(
  name: AnyComponentName,
  { isWanted, look, problem, recorded }: ComponentOptions,
): ComponentStatus {
  const workload = look.workload(name)
  const pods = look.pods(name)
  const ready = pods.filter(isReadyPod)
  const live = workload === undefined ? 0 : wantedReplicas(workload)
  const wanted = workload === undefined ? 0 : (recorded ?? live)
  return {
    name,
    ...stateOf({
      isSettled: recorded !== undefined,
      isWanted,
      live,
      pods,
      problem,
      ready: ready.length,
      wanted,
      workload,
    }),
    ...placeOf(name, ready.length > 0 ? ready : pods),
    ...(workload === undefined ? {} : { replicas: { wanted, ready: ready.length } }),
    ...imageOf(workload),
  }
}

interface Facts {
  /** Nothing is being done to it. */
  isSettled: boolean
  isWanted: boolean
  /** How many pods its workload is to have. */
  live: number
  pods: readonly KubeObject[]
  problem: ComponentProblem | undefined
  ready: number
  /** How many pods it is to have. */
  wanted: number
  workload: KubeObject | undefined
}

function stateOf({ isSettled, isWanted, live, pods, problem, ready, wanted, workload }: Facts): {
  state: ComponentStatus['state']
  reason?: string
} {
  if (isWanted && workload === undefined) {
    return { state: 'failed', reason: 'its workload is gone' }
  }
  if (isWanted && live === 0) {
    return { state: 'failed', reason: 'somebody scaled it to 0' }
  }
  const scaled = live < wanted ? { reason: `somebody scaled it to ${live}` } : {}
  if (ready > 0) {
    const { outdated, reason } = isSettled ? rolloutOf(workload) : { outdated: 0 }
    const late = reason === undefined ? {} : { reason }
    const why = ready < wanted ? { ...scaled, ...reasonOf(problem) } : {}
    const isRunning = (ready - outdated) * 2 > wanted
    return { state: isRunning ? 'running' : 'starting', ...late, ...why }
  }
  if (live === 0) {
    return pods.length === 0 ? { state: 'stopped' } : { state: 'running' }
  }
  return { state: problem?.final === true ? 'failed' : 'starting', ...scaled, ...reasonOf(problem) }
}

/** How far the host is with a workload as it is now. */
interface Rollout {
  /** How many of its pods are not as it says. */
  outdated: number
  /** What is left to do. @default nothing */
  reason?: string
}

/**
 * How far the host is with the workload of a component that nobody works on. The pods of etcd are replaced by vplane alone,
 * and may be of another template for long: a restore leaves them so.
 */
function rolloutOf(workload: KubeObject | undefined): Rollout {
  if (workload === undefined) {
    return { outdated: 0 }
  }
  const { replicas = 0, updatedReplicas = 0 } = recordAt(workload, 'status') ?? {}
  if (!isObserved(workload)) {
    return { outdated: Number(replicas), reason: 'the host has not seen its last change yet' }
  }
  const outdated = Math.max(0, Number(replicas) - Number(updatedReplicas))
  if (workload.kind === 'StatefulSet' || outdated === 0) {
    return { outdated: 0 }
  }
  return { outdated, reason: `${outdated} of its pods are to be replaced` }
}

function reasonOf(problem: ComponentProblem | undefined): { reason?: string } {
  return problem === undefined ? {} : { reason: problem.reason }
}

/** The pods of a component, the address of the first, and since when the last of them runs. */
function placeOf(
  name: AnyComponentName,
  pods: readonly KubeObject[],
): Pick<ComponentStatus, 'instance' | 'address' | 'startedAt'> {
  const names = pods.flatMap(({ metadata }) => (metadata.name === undefined ? [] : [metadata.name]))
  const starts = pods.flatMap(containerStarts)
  const [address] = pods.flatMap((pod) => textAt(pod, 'status', 'podIP') ?? [])
  return {
    ...(names.length === 0 ? {} : { instance: names.toSorted().join(', ') }),
    ...(starts.length === 0 ? {} : { startedAt: new Date(Math.max(...starts)) }),
    ...(address === undefined ? {} : { address: `${urlHost(address)}:${PORTS[name]}` }),
  }
}

function imageOf(workload: KubeObject | undefined): { image?: string } {
  const [container] = recordsAt(workload, 'spec', 'template', 'spec', 'containers')
  const image = textAt(container, 'image')
  return image === undefined ? {} : { image }
}
