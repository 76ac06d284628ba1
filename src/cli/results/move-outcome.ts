import type { PlanStep } from '../../shared/plan-step.ts'
import type { AbortResult } from '../../control-plane/use-cases/move/abort-move.ts'
import type { MoveResult } from '../../control-plane/use-cases/move/move-control-plane.ts'
import { placeOf } from '../../control-plane/plane/plane-words.ts'
import { type PlaceResult, toPlaceResult } from './place-result.ts'

/** What became of a plane that was to be moved, in `--json` results: part of the contract in schemas/. */
export interface MoveOutcome {
  name: string
  from: PlaceResult
  to: PlaceResult
  /** False with --dry-run, with --abort, and when it is already at the target. */
  moved: boolean
  aborted: boolean
  /** What was done, or would be, in its order. */
  steps: PlanStep[]
  /** How many were brought there and compared; null when none were. */
  keys: number | null
  /** The context that leads there now, if one led here. */
  context: string | null
  /** What could not be removed, and why. */
  leftovers: string[]
  /** Volume claims of its pods, whose data does not go along. */
  volumes: string[]
  /** Services that get another address there, as far as that is known. */
  readdressed: string[]
}

/** A move, or the end of one, as `--json` shows it. */
export function toMoveOutcome(result: MoveResult | AbortResult): MoveOutcome {
  const { from, leftovers, steps, to } = result
  const isMove = 'isMoved' in result
  return {
    name: from.name,
    from: toPlaceResult(from),
    to: toPlaceResult(to),
    moved: isMove && result.isMoved,
    aborted: !isMove && result.isAborted,
    steps,
    keys: isMove ? (result.fingerprint?.keys ?? null) : null,
    context: isMove ? (result.context ?? null) : null,
    leftovers: leftovers.map(({ what, why }) => `${what}: ${why}`),
    volumes: isMove ? result.volumes : [],
    readdressed: isMove ? result.readdressed : [],
  }
}

/** What became of a plane that was to be moved, for people. */
export function moveSentence({ fingerprint, isMoved, steps, to }: MoveResult): string {
  if (steps.length === 0) {
    return `"${to.name}" is already at the target: ${placeOf(to)}.`
  }
  const compared = fingerprint === undefined ? '' : ` All ${fingerprint.keys} keys arrived.`
  return isMoved ? `Moved "${to.name}": ${placeOf(to)}.${compared}` : 'Nothing was changed.'
}
