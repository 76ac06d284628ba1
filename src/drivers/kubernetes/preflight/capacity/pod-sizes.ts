import { quantityValue } from '../../../../control-plane/spec/fields/quantity.ts'
import { formatQuantity } from './format-quantity.ts'
import type { Container, PodSpec, Quantities } from '../../host/workload.ts'

export interface PodSizes {
  requests: Quantities
  limits: Quantities
}

/** What a pod asks for and may use in all: its containers together, or the largest of those that run before them. */
export function podSizes(pod: PodSpec): PodSizes {
  return { requests: total(pod, 'requests'), limits: total(pod, 'limits') }
}

function total(
  { containers = [], initContainers = [] }: PodSpec,
  kind: keyof PodSizes,
): Quantities {
  const sums = new Map<string, number>()
  const isBeside = ({ restartPolicy }: Container) => restartPolicy === 'Always'
  for (const container of [...containers, ...initContainers.filter(isBeside)]) {
    for (const [name, value] of sizesOf(container, kind)) {
      sums.set(name, (sums.get(name) ?? 0) + value)
    }
  }
  for (const container of initContainers.filter((container) => !isBeside(container))) {
    for (const [name, value] of sizesOf(container, kind)) {
      sums.set(name, Math.max(sums.get(name) ?? 0, value))
    }
  }
  return Object.fromEntries([...sums].map(([name, value]) => [name, formatQuantity(name, value)]))
}

function sizesOf({ resources }: Container, kind: keyof PodSizes): Array<[string, number]> {
  return Object.entries(resources?.[kind] ?? {}).map(([name, size]) => [
    name,
    quantityValue(size) ?? 0,
  ])
}
