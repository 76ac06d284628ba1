import { expect, test } from 'vitest'
import { placementOf } from '../../../src/manifests/values/placement.ts'

const SELECTOR = { 'vplane.dev/name': 'dev' }

test('does not restrict a single pod', () => {
  const none = { affinity: undefined, topologySpreadConstraints: undefined }

  expect(placementOf(SELECTOR, { replicas: 1, affinity: undefined })).toEqual(none)
})

test('spreads several pods if possible, and never prevents one from running', () => {
  const placement = placementOf(SELECTOR, { replicas: 2, affinity: undefined })
  const text = JSON.stringify(placement)

  expect(text).toContain('preferredDuringScheduling')
  expect(text).not.toContain('requiredDuringScheduling')
  expect(text).not.toContain('DoNotSchedule')
  expect(placement.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)).toEqual([
    'topology.kubernetes.io/zone',
    'kubernetes.io/hostname',
  ])
})

test.for([1, 3])("takes the user's affinity for its own: %i", (replicas) => {
  const affinity = { nodeAffinity: {} }

  expect(placementOf(SELECTOR, { replicas, affinity }).affinity).toBe(affinity)
})
