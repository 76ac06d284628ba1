import { expect, test } from 'vitest'
import {
  answerTo,
  refuseDuring,
  type Verb,
  VERBS,
} from '../../../src/control-plane/operations/answer.ts'
import type { Unfinished } from '../../../src/control-plane/operations/unfinished.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const DEV = { name: 'dev', driver: 'local' } as const

const KINDS: Record<Unfinished['kind'], Unfinished> = {
  creation: { kind: 'creation' },
  change: { kind: 'change' },
  rotation: { kind: 'rotation', keys: 'ca' },
  restore: { kind: 'restore' },
  arrival: { kind: 'arrival' },
  majority: { kind: 'majority' },
  departure: { kind: 'departure', move: { to: DEV } },
  deletion: { kind: 'deletion' },
  other: { kind: 'other' },
}

const OTHERS_WORK = ['restore', 'arrival', 'majority', 'departure', 'deletion'] as const

/** What each command does not follow. */
const REFUSED: Record<Verb, ReadonlyArray<Unfinished['kind']>> = {
  start: OTHERS_WORK,
  pause: ['majority', 'departure', 'deletion'],
  change: ['creation', ...OTHERS_WORK],
  rotate: ['creation', 'change', 'rotation', ...OTHERS_WORK],
  repair: ['restore', 'arrival', 'departure', 'deletion'],
  restore: ['departure', 'deletion'],
  move: ['creation', 'restore', 'arrival', 'majority', 'deletion'],
  maintain: [],
}

const PAIRS = VERBS.flatMap((verb) => Object.values(KINDS).map((one) => [verb, one] as const))

test.for(PAIRS)('%s during %j', ([verb, unfinished]) => {
  const isRefused = REFUSED[verb].includes(unfinished.kind)
  const proceeds = verb === 'maintain' ? 'wait' : 'proceed'

  expect(answerTo(verb, [unfinished])).toBe(isRefused ? 'refuse' : proceeds)
  const act = () => refuseDuring(verb, DEV, [unfinished])
  if (isRefused) {
    expect(act).toThrow('"dev"')
  } else {
    expect(act).not.toThrow()
  }
})

test('names what refuses a command, not what it could follow', () => {
  const { change, deletion, majority } = KINDS

  const error = thrownBy(() => refuseDuring('start', DEV, [change, deletion, majority]))

  expect(error.message).toBe('"dev" is half deleted')
  expect(answerTo('start', [change, deletion])).toBe('refuse')
  expect(VERBS.map((verb) => answerTo(verb, []))).toEqual(VERBS.map(() => 'proceed'))
})
