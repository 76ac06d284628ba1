import { quantityValue } from '../../../../control-plane/spec/fields/quantity.ts'
import { itemsOf, type LimitRange, type LimitRangeItem } from './limit-range.ts'
import type { PodDemand } from './pod-demand.ts'
import { type PodSizes, podSizes } from './pod-sizes.ts'
import { specPathOf } from '../../context/spec-path.ts'
import type { Claim } from '../../host/workload.ts'

/** One thing that the host would refuse, and what to say instead. */
export interface Violation {
  message: string
  hint: string | undefined
}

/** What LimitRanges refuse of the pods of one workload, whose containers have their defaults already. */
export function podViolations(demand: PodDemand, ranges: readonly LimitRange[]): Violation[] {
  const { containers = [], initContainers = [] } = demand.spec
  return ranges.flatMap((range) => [
    ...itemsOf(range, 'Container').flatMap((item) =>
      [...containers, ...initContainers].flatMap(({ name, resources }) =>
        breachesOf({ requests: {}, limits: {}, ...resources }, item).map((breach) =>
          toViolation(breach, `container "${name}" of ${demand.owner}`, { demand, range }),
        ),
      ),
    ),
    ...itemsOf(range, 'Pod').flatMap((item) =>
      breachesOf(podSizes(demand.spec), item).map((breach) =>
        toViolation(breach, `a pod of ${demand.owner}`, { demand, range }),
      ),
    ),
  ])
}

/** What LimitRanges refuse of a volume. */
export function claimViolations(claim: Claim, ranges: readonly LimitRange[]): Violation[] {
  return ranges.flatMap((range) =>
    itemsOf(range, 'PersistentVolumeClaim').flatMap((item) =>
      // Only requests count for volumes.
      breachesOf({ requests: claim.requests, limits: item.max ?? {} }, item).map(
        ({ bound, text }) => ({
          message: `volume "${claim.name}": ${text} by LimitRange "${range.metadata.name}"`,
          hint: bound === undefined ? undefined : `--storage-size ${bound}`,
        }),
      ),
    ),
  )
}

interface Breach {
  /** Path in the resources of a container: `limits.memory`. */
  field: string
  text: string
  /** A value that would do, when there is one. */
  bound: string | undefined
}

/** The rules of the host's LimitRanger: with a minimum a request has to be named, with a maximum a limit. */
function breachesOf({ limits, requests }: PodSizes, item: LimitRangeItem): Breach[] {
  const { max = {}, maxLimitRequestRatio = {}, min = {} } = item
  const small = Object.entries(min).map(([name, bound]) => {
    const text = `at least ${bound} is asked`
    const rule = { bound, text, refuses: (value: number) => value < valueOf(bound) }
    return (
      breachOf(`requests.${name}`, requests[name], rule) ??
      breachOf(`limits.${name}`, limits[name] ?? bound, rule)
    )
  })
  const large = Object.entries(max).map(([name, bound]) => {
    const text = `at most ${bound} is allowed`
    const rule = { bound, text, refuses: (value: number) => value > valueOf(bound) }
    return (
      breachOf(`limits.${name}`, limits[name], rule) ??
      breachOf(`requests.${name}`, requests[name] ?? bound, rule)
    )
  })
  const elastic = Object.entries(maxLimitRequestRatio).map(([name, ratio]) => {
    const request = requests[name]
    const text = `at most ${ratio} times its request of ${request ?? '0'} is allowed`
    const refuses = (value: number) => value > valueOf(ratio) * valueOf(request)
    return breachOf(`limits.${name}`, limits[name], { bound: request, text, refuses })
  })
  return [...small, ...large, ...elastic].filter((breach) => breach !== undefined)
}

function breachOf(
  field: string,
  size: string | undefined,
  { bound, refuses, text }: Omit<Breach, 'field'> & { refuses: (value: number) => boolean },
): Breach | undefined {
  if (size === undefined) {
    return { field, text: `it has no ${field}, ${text}`, bound }
  }
  return refuses(valueOf(size))
    ? { field, text: `its ${field} is ${size}, ${text}`, bound }
    : undefined
}

function toViolation(
  { bound, field, text }: Breach,
  what: string,
  { demand, range }: { demand: PodDemand; range: LimitRange },
): Violation {
  const path = specPathOf(demand.component)
  return {
    message: `${what}: ${text} by LimitRange "${range.metadata.name}"`,
    hint:
      path === undefined || bound === undefined
        ? undefined
        : `--set ${path}.resources.${field}=${bound}`,
  }
}

function valueOf(quantity: string | undefined): number {
  return quantityValue(quantity ?? '0') ?? 0
}
