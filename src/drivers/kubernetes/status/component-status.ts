import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import type { ComponentStatus } from '../../../control-plane/status/plane-status.ts'
import { recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'
import { API_PORT, ETCD_PORTS, KEEPER_PORT, SYNCER_PORTS } from '../../../manifests/ports.ts'
import type { ComponentProblem } from '../context/problem.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { wantedReplicas, isObserved } from '../observed/workloads.ts'
import { containerStarts, isReadyPod, type ObservedPlane } from '../observed/observed-plane.ts'
import { urlHost } from '../../../shared/network/url-host.ts'

const PORTS: Record<AnyComponentName, number> = {
  etcd: ETCD_PORTS.grpc,
  kine: ETCD_PORTS.grpc,
  'kube-apiserver': API_PORT,
  'kube-controller-manager': 10_257,
  syncer: SYNCER_PORTS.health,
  'kube-scheduler': 10_259,
  keeper: KEEPER_PORT,
}

export interface ComponentOptions {
  observed: ObservedPlane
  isWanted: boolean
  /** The recorded replicas, while no operation runs. @default the replicas of its workload */
  recorded?: number | undefined
  problem: ComponentProblem | undefined
}

/** Returns the status of a component from its workload, its pods and a known problem. */
export function componentStatus(
  name: AnyComponentName,
  { isWanted, observed, problem, recorded }: ComponentOptions,
): ComponentStatus {
  const workload = observed.workload(name)
  const pods = observed.pods(name)
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
  /** No operation on the plane runs. */
  isSettled: boolean
  isWanted: boolean
  /** The replicas of its workload. */
  live: number
  pods: readonly KubeObject[]
  problem: ComponentProblem | undefined
  ready: number
  wanted: number
  workload: KubeObject | undefined
}

function stateOf({ isSettled, isWanted, live, pods, problem, ready, wanted, workload }: Facts): {
  state: ComponentStatus['state']
  reason?: string
} {
  if (isWanted && workload === undefined) {
    return { state: 'failed', reason: 'its workload is missing' }
  }
  if (isWanted && live === 0) {
    return { state: 'failed', reason: 'someone scaled it to 0' }
  }
  const scaled = live < wanted ? { reason: `someone scaled it to ${live}` } : {}
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

interface Rollout {
  /** Pods that do not match the workload. */
  outdated: number
  /** What is left to do. @default nothing */
  reason?: string
}

/** While no operation runs. Pods of etcd may be outdated for long: only vplane replaces them. */
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
