import type { PlaneReference, UnfinishedKind } from '../plane/plane.ts'
import { type Unfinished, unfinishedError } from './unfinished.ts'

/**
 * The commands that change a plane, in classes that treat alike what another one left. `start` also continues a creation,
 * `rotate` also renews certificates, `restore` replaces the data in any way, and `maintain` are the duties of keepers in host
 * clusters. A deletion has no class: it always proceeds.
 */
export const VERBS = [
  'start',
  'pause',
  'change',
  'rotate',
  'repair',
  'restore',
  'move',
  'maintain',
] as const

export type Verb = (typeof VERBS)[number]

/**
 * `proceed`: it continues what is unfinished, or leaves it as it is. `finish`: a start finishes it first. `wait`: the next
 * attempt may find it finished.
 */
export type Answer = 'proceed' | 'finish' | 'wait' | 'refuse'

type Row = readonly [Answer, Answer, Answer, Answer, Answer, Answer, Answer, Answer]

const [go, first, no, wait] = ['proceed', 'finish', 'refuse', 'wait'] as const

/** For each thing that may be unfinished, what each class of commands does, in the order of `VERBS`. */
const TABLE: Record<UnfinishedKind, Row> = {
  // Keys and objects may be missing.
  creation: [go, go, first, first, go, go, first, wait],
  // A start and another change continue it; a rotation would mix other keys with it.
  change: [go, go, go, first, go, go, go, wait],
  // It has recorded the certificates that it issues.
  rotation: [go, go, go, no, go, go, go, wait],
  // Members have former data, new data or none.
  restore: [no, go, no, no, no, go, no, wait],
  // The plane with the data may still run elsewhere.
  arrival: [no, go, no, no, no, go, no, wait],
  // Members without data could outvote those with data.
  majority: [no, no, no, no, go, go, no, wait],
  // Two planes with the same identity would accept writes.
  departure: [no, no, no, no, no, no, go, wait],
  deletion: [no, no, no, no, no, no, no, wait],
  other: [go, go, go, go, go, go, go, wait],
}

/** Returns what a command does while this is unfinished: the strictest answer. */
export function answerTo(verb: Verb, unfinished: ReadonlyArray<Pick<Unfinished, 'kind'>>): Answer {
  const answers = unfinished.map(({ kind }) => answerDuring(kind, verb))
  return [no, wait, first].find((answer) => answers.includes(answer)) ?? go
}

/**
 * Called under the lock of a plane, when what a start finishes is finished.
 *
 * @throws {VplaneError} `FAILED` when a command cannot proceed while this is unfinished, with what to do first.
 */
export function refuseDuring(
  verb: Verb,
  plane: PlaneReference,
  unfinished: readonly Unfinished[],
): void {
  const cause = causeOf(no, verb, unfinished) ?? causeOf(first, verb, unfinished)
  if (cause !== undefined) {
    throw unfinishedError(plane, cause)
  }
}

/** What a start finishes. */
const FINISHED_BY_START = ['creation', 'change'] as const

/** Returns what a start finishes before a command proceeds; undefined when nothing is, or the command cannot proceed. */
export function toFinishFirst(
  verb: Verb,
  unfinished: readonly UnfinishedKind[],
): (typeof FINISHED_BY_START)[number] | undefined {
  const kinds = unfinished.map((kind) => ({ kind }))
  return answerTo(verb, kinds) === first
    ? FINISHED_BY_START.find((kind) => unfinished.includes(kind))
    : undefined
}

function causeOf(
  answer: Answer,
  verb: Verb,
  unfinished: readonly Unfinished[],
): Unfinished | undefined {
  return unfinished.find(({ kind }) => answerDuring(kind, verb) === answer)
}

function answerDuring(kind: UnfinishedKind, verb: Verb): Answer {
  return TABLE[kind][VERBS.indexOf(verb)] ?? no
}
