import { expect, test } from 'vitest'
import { CpuCounters } from '../../../src/syncer/metrics/cpu-counters.ts'
import type { PodUsage } from '../../../src/syncer/metrics/host-usage.ts'
import { usageOf } from './some-usage.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 5, 1, 12, 0, seconds)).toISOString()

/** What the counters show in the end: of the first pod, and of the node. */
function counted(...samples: PodUsage[][]) {
  const counters = new CpuCounters()
  samples.forEach((usages) => counters.add(usages))
  const [first] = samples.flat()
  return {
    pod: first === undefined ? 0 : counters.secondsOf(first.pod, 'app'),
    node: counters.secondsOn('worker-7'),
  }
}

const web = (seconds: number, nanoCores = 500_000_000) =>
  usageOf('web', { timestamp: at(seconds), nanoCores })

test('begins above zero, which means that nothing was measured', () => {
  expect(counted([])).toEqual({ pod: 0, node: 0.001 })
  expect(counted([web(0)])).toEqual({ pod: 0.001, node: 0.001 })
})

test('counts what was used since, at the rate that was measured last', () => {
  const { node, pod } = counted([web(0, 4e9)], [web(15)], [web(30, 1e9)])

  expect(pod).toBeCloseTo(0.001 + 7.5 + 15)
  expect(node).toBeCloseTo(pod)
})

test.for([
  ['the same measurement again', 15],
  ['an older one', 3],
] as const)('counts nothing twice: %s', ([, seconds]) => {
  expect(counted([web(0)], [web(15)], [web(seconds)]).pod).toBeCloseTo(7.501)
})

test('never counts a node back, also when its pods are gone', () => {
  const db = usageOf('db', { timestamp: at(15) })

  expect(counted([web(0)], [web(15)], [db]).node).toBeCloseTo(7.501)
})

test('begins again with a pod of the same name', () => {
  const before = usageOf('web', { uid: 'before', timestamp: at(0) })
  const after = usageOf('web', { uid: 'after', timestamp: at(15) })
  const counters = new CpuCounters()

  counters.add([before])
  counters.add([after])

  expect(counters.secondsOf(after.pod, 'app')).toBe(0.001)
})
