import { expect, test } from 'vitest'
import {
  answerTo,
  refuseDuring,
  toFinishFirst,
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
  other: { kind: 'other', operation: 'pause' },
}

const OTHERS_WORK = ['restore', 'arrival', 'majority', 'departure', 'deletion'] as const

/** What each command does not follow. */
const REFUSED: Record<Verb, ReadonlyArray<Unfinished['kind']>> = {
  start: OTHERS_WORK,
  pause: ['majority', 'departure', 'deletion'],
  change: OTHERS_WORK,
  rotate: ['rotation', ...OTHERS_WORK],
  repair: ['restore', 'arrival', 'departure', 'deletion'],
  restore: ['departure', 'deletion'],
  move: ['restore', 'arrival', 'majority', 'deletion'],
  maintain: [],
}

/** What a start finishes before each command. */
const FINISHED: Partial<Record<Verb, ReadonlyArray<Unfinished['kind']>>> = {
  change: ['creation'],
  rotate: ['creation', 'change'],
  move: ['creation'],
}

const PAIRS = VERBS.flatMap((verb) => Object.values(KINDS).map((one) => [verb, one] as const))

test.for(PAIRS)('%s during %j', ([verb, unfinished]) => {
  const isRefused = REFUSED[verb].includes(unfinished.kind)
  const isFinished = FINISHED[verb]?.includes(unfinished.kind) === true
  const proceeds = verb === 'maintain' ? 'wait' : 'proceed'

  const expected = isFinished ? 'finish' : proceeds
  expect(answerTo(verb, [unfinished])).toBe(isRefused ? 'refuse' : expected)
  expect(toFinishFirst(verb, [unfinished.kind])).toBe(isFinished ? unfinished.kind : undefined)
  const act = () => refuseDuring(verb, DEV, [unfinished])
  if (isRefused || isFinished) {
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
  expect(toFinishFirst('rotate', ['change', 'deletion'])).toBeUndefined()
  expect(() => refuseDuring('rotate', DEV, [change, deletion])).toThrow('half deleted')
  expect(VERBS.map((verb) => answerTo(verb, []))).toEqual(VERBS.map(() => 'proceed'))
})
