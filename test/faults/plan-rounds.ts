import { randomNumbers } from '../support/random-numbers.ts'

/** What is done with a plane, and about how long that takes, in milliseconds. */
const OPERATIONS = [
  ['a change', 10_000],
  ['a scaling', 30_000],
  ['an upgrade', 60_000],
  ['a pause', 15_000],
  ['a rotation of leaves', 5000],
  ['a rotation of the CAs', 60_000],
  ['a rotation of the token key', 25_000],
  ['a rotation of the encryption key', 30_000],
  ['a snapshot', 2000],
  ['a restore', 30_000],
  ['a move', 40_000],
] as const

const VICTIMS = ['vplane', 'etcd', 'kube-apiserver', 'kube-controller-manager', 'syncer'] as const

export type Operation = (typeof OPERATIONS)[number][0]

export type Victim = (typeof VICTIMS)[number]

/** One operation, during which something is killed. */
export interface Round {
  round: number
  operation: Operation
  /** The plane runs pods. */
  isSynced: boolean
  victim: Victim
  /** How long after the operation began. */
  afterMs: number
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
    const victims = VICTIMS.filter((victim) => isSynced || victim !== 'syncer')
    return shuffled(OPERATIONS, random).map(([operation, lastsMs]) => ({
      operation,
      isSynced,
      victim: victims[Math.floor(random() * victims.length)] ?? 'vplane',
      afterMs: Math.floor(random() * lastsMs),
    }))
  })
  const rounds = turns.flat().slice(0, count)
  return rounds.map((round, index) => ({ round: index + 1, ...round }))
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((one) => ({ one, place: random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ one }) => one)
}
