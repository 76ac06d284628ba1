import { expect, test } from 'vitest'
import { moveOptions, placeOf, placeOptions } from '../../../src/control-plane/plane/plane-words.ts'

const HERE = { name: 'dev', driver: 'local' } as const
const THERE = {
  name: 'dev',
  driver: 'kubernetes',
  namespace: 'team-a',
  hostContext: 'admin@my cluster',
} as const

test('has the options that tell planes of one name apart', () => {
  const { hostContext, namespace } = THERE

  expect(placeOptions(HERE, { withHost: true })).toEqual({ driver: 'local' })
  expect(placeOptions(THERE, { withHost: false })).toEqual({ namespace })
  expect(placeOptions(THERE, { withHost: true })).toEqual({ namespace, hostContext })
})

test('has the options by which a plane is moved to a place', () => {
  const { hostContext: toContext, namespace: toNamespace } = THERE

  expect(moveOptions(HERE)).toEqual({ toDriver: 'local' })
  expect(moveOptions(THERE)).toEqual({ toContext, toNamespace })
})

test('says where a plane is', () => {
  expect(placeOf(HERE)).toBe('driver local')
  expect(placeOf(THERE)).toBe('driver kubernetes, namespace team-a, host context admin@my cluster')
})
