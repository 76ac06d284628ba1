import { oneOf, randomNumbers } from '../../support/random-numbers.ts'

/** What is done with a plane, and how long that takes at least where nothing is killed, in milliseconds. */
const OPERATIONS = [
  ['a change', 8000],
  ['a scaling of etcd', 15_000],
  ['a scaling of the others', 10_000],
  ['an upgrade', 40_000],
  ['a pause', 8000],
  ['a rotation of leaves', 2000],
  ['a rotation of the CAs', 40_000],
  ['a rotation of the token key', 15_000],
  ['a rotation of the encryption key', 15_000],
  ['a snapshot', 1000],
  ['a restore', 15_000],
  ['a restore of a bundle', 20_000],
  ['a move', 20_000],
  ['the end of a move', 8000],
  ['a repair', 10_000],
  ['a repair from a survivor', 20_000],
] as const

const VICTIMS = ['vplane', 'etcd', 'kube-apiserver', 'kube-controller-manager'] as const
/** What planes that run pods have besides: these come with a keeper too. */
const MORE_VICTIMS = ['syncer', 'keeper'] as const

/** What someone else does after an operation that was killed, before it is run again. */
const FOLLOWERS = [
  'another change',
  'another pause',
  'another repair',
  'another rotation',
  'another scaling',
  'two changes at once',
] as const

export type Operation = (typeof OPERATIONS)[number][0]

export type Follower = (typeof FOLLOWERS)[number]

export type Victim = (typeof VICTIMS)[number] | (typeof MORE_VICTIMS)[number]

/** One operation, during which something is killed. */
export interface Round {
  round: number
  operation: Operation
  /** The plane runs pods, and has a keeper. */
  isSynced: boolean
  victim: Victim
  /** The command of the operation is killed together with the victim. */
  isCutOff: boolean
  /** What follows a command that was killed. */
  follower: Follower
  /** After which part of the operation, from 0 to 1. */
  after: number
}

/**
 * Says what is done in each round, always the same for a seed: a few rounds are the first of many. No operation comes
 * again before all others have come, and then the plane is one of the other kind; the first one runs pods when the seed is
 * even.
 */
export function planRounds(seed: number, count: number): Round[] {
  const random = randomNumbers(seed)
  const turns = Array.from({ length: Math.ceil(count / OPERATIONS.length) }, (_, turn) => {
    const isSynced = (seed + turn) % 2 === 0
    const victims = isSynced ? ([...VICTIMS, ...MORE_VICTIMS] as const) : VICTIMS
    return shuffled(OPERATIONS, random).map(([operation]) => ({
      operation,
      isSynced,
      victim: oneOf(victims, random),
      isCutOff: random() < 0.5,
      follower: oneOf(FOLLOWERS, random),
      after: random(),
    }))
  })
  const rounds = turns.flat().slice(0, count)
  return rounds.map((round, index) => ({ round: index + 1, ...round }))
}

/** How long an operation takes at least, in milliseconds, as long as nobody has measured it. */
export function leastMs(operation: Operation): number {
  return OPERATIONS.find(([name]) => name === operation)?.[1] ?? 0
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((one) => ({ one, place: random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ one }) => one)
}
