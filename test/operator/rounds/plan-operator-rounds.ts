import { oneOf, randomNumbers } from '../../support/random-numbers.ts'

/** What is done to a declared plane. */
const OPERATIONS = [
  'a creation',
  'a change',
  'a scaling',
  'an upgrade',
  'a pause',
  'a deletion',
  'an adoption',
  'a release',
] as const

const VICTIMS = ['operator', 'kube-apiserver', 'etcd'] as const

/** A container that is killed starts again in its pod; a pod that is deleted is replaced. */
const WAYS = ['killed', 'deleted'] as const

/** What someone else does meanwhile with a command. */
const COMMANDS = ['a change', 'a rotation', 'a snapshot', 'a description', 'nothing'] as const

export type OperatorOperation = (typeof OPERATIONS)[number]
export type OperatorVictim = (typeof VICTIMS)[number]
export type OtherCommand = (typeof COMMANDS)[number]

/** Something that is killed. */
export interface Kill {
  victim: OperatorVictim
  way: (typeof WAYS)[number]
  /** How long after the one before, or after the beginning, in milliseconds. */
  afterMs: number
  /** Which one of all victims, from 0 to 1. */
  pick: number
}

export interface OperatorRound {
  round: number
  operation: OperatorOperation
  /** Which one of the planes, from 0 to 1. */
  pick: number
  kills: readonly Kill[]
  command: OtherCommand
}

const MOST_KILLS = 3
const LONGEST_MS = 6000

/**
 * Plans what is done in each round, always the same for a seed: a few rounds are the first of many. No operation comes
 * again before all others have come.
 */
export function planOperatorRounds(seed: number, count: number): OperatorRound[] {
  const random = randomNumbers(seed)
  const rounds: OperatorRound[] = []
  let left: OperatorOperation[] = []
  for (let round = 1; round <= count; round += 1) {
    left = left.length === 0 ? [...OPERATIONS] : left
    const operation = oneOf(left, random)
    left = left.filter((other) => other !== operation)
    const kills = Array.from({ length: 1 + Math.floor(random() * MOST_KILLS) }, () => ({
      victim: oneOf(VICTIMS, random),
      way: oneOf(WAYS, random),
      afterMs: Math.round(random() * LONGEST_MS),
      pick: random(),
    }))
    rounds.push({ round, operation, pick: random(), kills, command: oneOf(COMMANDS, random) })
  }
  return rounds
}
