import { expect, test } from 'vitest'
import { flagsOf, placeOf, wordsOf } from '../../../src/control-plane/plane/plane-words.ts'

const HERE = { name: 'dev', driver: 'local' } as const
const THERE = {
  name: 'dev',
  driver: 'kubernetes',
  namespace: 'team-a',
  hostContext: 'admin@my cluster',
} as const

test('names a plane as a command line does', () => {
  expect(wordsOf(HERE)).toBe('dev')
  expect(wordsOf(THERE)).toBe('dev --namespace team-a')
})

test('has the flags that tell planes of one name apart', () => {
  expect(flagsOf(HERE)).toBe('--driver local')
  expect(flagsOf(HERE, { withHost: true })).toBe('--driver local')
  expect(flagsOf(THERE)).toBe('--namespace team-a')
  expect(flagsOf(THERE, { withHost: true })).toBe(
    "--namespace team-a --host-context 'admin@my cluster'",
  )
})

test('says where a plane is', () => {
  expect(placeOf(HERE)).toBe('driver local')
  expect(placeOf(THERE)).toBe('driver kubernetes, namespace team-a, host context admin@my cluster')
})
