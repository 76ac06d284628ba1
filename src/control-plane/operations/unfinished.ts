import { VplaneError } from '../../shared/errors.ts'
import type { Hint } from '../../shared/hint.ts'
import { fenceOf } from '../plane/fence.ts'
import type { PlaneMove, PlaneReference } from '../plane/plane.ts'
import type { RecordedPlane } from '../plane/recorded-plane.ts'
import { ROTATION_WORDS } from '../rotation/rotation-words.ts'
import type { RotatedKeys } from '../rotation/rotation.ts'

/** Something that was begun on a plane and not finished, or that lasts until a certain command ends it. */
export type Unfinished =
  /** `arrival`: a move to this place. `majority`: a repair of an etcd without a majority. */
  | { kind: 'creation' | 'change' | 'restore' | 'arrival' | 'majority' | 'deletion' }
  /** A stage of a rotation. */
  | { kind: 'rotation'; keys: RotatedKeys }
  /** A move to another place, or that it was moved there. */
  | { kind: 'departure'; move: PlaneMove }
  /** An operation that leaves nothing for others to respect, such as a pause. */
  | { kind: 'other' }

/** Returns what the records of all drivers say, the strictest first. */
export function recordedUnfinished({
  movingTo,
  restoring,
}: Pick<RecordedPlane, 'movingTo' | 'restoring'>): Unfinished[] {
  return [
    ...(movingTo === undefined ? [] : [{ kind: 'departure', move: movingTo } as const]),
    ...(restoring === undefined
      ? []
      : [{ kind: restoring.movingFrom === undefined ? 'restore' : 'arrival' } as const]),
  ]
}

type Explanation = [message: string, ...hints: Hint[]]

/** Returns the error of a command that needs something else to be finished first, with the command that finishes it. */
export function unfinishedError(reference: PlaneReference, unfinished: Unfinished): VplaneError {
  const [message, ...hints] = explain(reference, unfinished)
  return new VplaneError('FAILED', message, { hints })
}

function explain(reference: PlaneReference, unfinished: Unfinished): Explanation {
  if (unfinished.kind === 'departure') {
    return explainFence(reference, unfinished.move)
  }
  const { name, namespace } = reference
  const plane = { name, namespace }
  if (unfinished.kind === 'rotation') {
    const { keys } = unfinished
    const hint = { purpose: 'to continue', action: `rotate-${keys}`, plane } as const
    return [`the rotation of ${ROTATION_WORDS[keys].what} of "${name}" was interrupted`, hint]
  }
  const restore = { action: 'restore', plane, force: true, from: 'SNAPSHOT' } as const
  const explanations: Record<typeof unfinished.kind, Explanation> = {
    creation: [
      `the creation of "${name}" was interrupted`,
      { purpose: 'to continue', action: 'resume', plane },
    ],
    change: [
      `a change of the spec of "${name}" was interrupted`,
      'run its command again: it continues',
    ],
    restore: [`a restore of "${name}" was interrupted`, { purpose: 'run it again', ...restore }],
    arrival: [
      `the move of "${name}" to this place was interrupted`,
      'run the same move again',
      { purpose: 'or to keep it where it was', abort: true },
    ],
    majority: [
      `a repair of etcd of "${name}" was interrupted`,
      { purpose: 'to continue', action: 'repair', plane },
    ],
    deletion: [`"${name}" is half deleted`, { purpose: 'to continue', action: 'delete', plane }],
    other: [`an operation on "${name}" was interrupted`, 'run its command again: it continues'],
  }
  return explanations[unfinished.kind]
}

function explainFence(plane: PlaneReference, move: PlaneMove): Explanation {
  const message = `"${plane.name}" is fenced: ${fenceOf({ movingTo: move })}`
  return move.handedTo === undefined
    ? [
        message,
        { action: 'move', plane },
        { purpose: 'to keep it where it was', action: 'move', plane, abort: true },
      ]
    : [
        message,
        { purpose: 'to complete the interrupted move', action: 'move', plane },
        { purpose: 'to delete its data here', action: 'delete', plane },
      ]
}
