import type { HostObject } from '../../host/host-api.ts'
import type { Container, Quantities } from '../../host/workload.ts'

/** What a namespace allows single containers, pods and volumes, and gives to those that say nothing. */
export interface LimitRange extends HostObject {
  spec?: { limits?: LimitRangeItem[] }
}

export interface LimitRangeItem {
  type?: string
  default?: Quantities
  defaultRequest?: Quantities
  min?: Quantities
  max?: Quantities
  maxLimitRequestRatio?: Quantities
}

/** The rules of a LimitRange for containers, pods or volumes. */
export function itemsOf(
  { spec }: LimitRange,
  type: 'Container' | 'Pod' | 'PersistentVolumeClaim',
): LimitRangeItem[] {
  return (spec?.limits ?? []).filter((item) => item.type === type)
}

/** A container with the requests and limits that the host gives it when it names none of its own. */
export function withDefaults(container: Container, ranges: readonly LimitRange[]): Container {
  let { limits = {}, requests = {} } = container.resources ?? {}
  // A limit alone is the request too, before any LimitRange is asked.
  requests = { ...limits, ...requests }
  for (const item of ranges.flatMap((range) => itemsOf(range, 'Container'))) {
    limits = { ...item.default, ...limits }
    requests = { ...item.defaultRequest, ...requests }
  }
  return { ...container, resources: { limits, requests } }
}
