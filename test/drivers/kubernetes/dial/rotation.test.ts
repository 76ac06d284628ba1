import { expect, test } from 'vitest'
import type { ApiServerPod } from '../../../../src/drivers/kubernetes/dial/known-pods.ts'
import { Rotation } from '../../../../src/drivers/kubernetes/dial/rotation.ts'

const a = podNamed('a')
const pods = [a, podNamed('b'), podNamed('c')]

test('starts with each pod in turn', () => {
  const rotation = new Rotation(0)

  const orders = [0, 1, 2, 3].map((now) => namesOf(rotation.next(pods, now)))

  expect(orders).toEqual(['a b c', 'b c a', 'c a b', 'a b c'])
})

test('puts a pod that failed behind the others for five seconds', () => {
  const rotation = new Rotation(0)
  rotation.failed(a, 1000)

  expect(namesOf(rotation.next(pods, 5999))).toBe('b c a')
  expect(namesOf(rotation.next(pods, 6000))).toBe('b c a')
  expect(namesOf(rotation.next(pods, 6000))).toBe('c a b')
})

test('returns the only pod even after a failure', () => {
  const rotation = new Rotation(5)
  rotation.failed(a, 0)

  expect(namesOf(rotation.next([a], 1))).toBe('a')
})

test('has no order for no pods', () => {
  expect(new Rotation().next([], 0)).toEqual([])
})

function podNamed(name: string): ApiServerPod {
  return { name, uid: `uid-${name}`, isReady: true, isRunning: true }
}

function namesOf(order: readonly ApiServerPod[]): string {
  return order.map(({ name }) => name).join(' ')
}
