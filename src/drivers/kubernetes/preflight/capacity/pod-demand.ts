import type { AnyComponentName } from '../../../../control-plane/plane/plane.ts'
import type { HostObject } from '../../host/host-api.ts'
import { type LimitRange, withDefaults } from './limit-range.ts'
import {
  componentOf,
  type Container,
  type PodSpec,
  surgeOf,
  type Workload,
} from '../../host/workload.ts'

/** The pods that a workload still has to get. */
export interface PodDemand {
  /** Kind and name of the workload. */
  owner: string
  component: AnyComponentName | undefined
  /** Pods to come, those of a rolling update included. */
  count: number
  /** How many of them there are only while a new version rolls out. */
  surge: number
  /** With the requests and limits that the host adds. */
  spec: PodSpec
}

export interface Surroundings {
  ranges: readonly LimitRange[]
  /** Pods of the plane that are there already. */
  pods: readonly HostObject[]
}

/** The pods that a workload will ask for, besides those that run already. */
export function podDemandOf(workload: Workload, { pods, ranges }: Surroundings): PodDemand {
  const component = componentOf(workload)
  const surge = surgeOf(workload)
  const there = pods.filter((pod) => component !== undefined && componentOf(pod) === component)
  const count = Math.max(0, (workload.spec?.replicas ?? 1) + surge - there.length)
  const { containers, initContainers, ...spec } = workload.spec?.template?.spec ?? {}
  const filled = (some: readonly Container[] = []) =>
    some.map((container) => withDefaults(container, ranges))
  return {
    owner: `${workload.kind} "${workload.metadata.name}"`,
    component,
    count,
    surge: Math.min(surge, count),
    spec: { ...spec, containers: filled(containers), initContainers: filled(initContainers) },
  }
}
