import { VplaneError } from '../../shared/errors.ts'
import type { Action, Hint } from '../../shared/hint.ts'
import { fenceOf } from '../plane/fence.ts'
import type { PlaneMove, PlaneReference, UnfinishedKind } from '../plane/plane.ts'
import type { RecordedPlane } from '../plane/recorded-plane.ts'
import { ROTATION_WORDS } from '../rotation/rotation-words.ts'
import type { RotatedKeys } from '../rotation/rotation.ts'

/** What is unfinished on a plane, with what its explanation needs. */
export type Unfinished =
  | { kind: Exclude<UnfinishedKind, 'rotation' | 'restore' | 'departure' | 'other'> }
  | { kind: 'rotation'; keys: RotatedKeys }
  | { kind: 'restore'; from?: string | undefined }
  | { kind: 'departure'; move: PlaneMove }
  | { kind: 'other'; operation: OperationKind }

/** What commands do to a plane. `rotate` also renews certificates, `maintain` are the duties of keepers. */
export type OperationKind =
  | 'create'
  | 'start'
  | 'pause'
  | 'change'
  | 'remove'
  | 'maintain'
  | 'rotate'
  | 'repair'
  | 'restore'
  | 'move'

/** What an operation leaves unfinished when it is interrupted. */
const LEFT_BY: Record<OperationKind, ReadonlyArray<Unfinished['kind']>> = {
  create: ['creation'],
  start: ['creation', 'change'],
  pause: [],
  change: ['change'],
  remove: ['deletion'],
  maintain: [],
  rotate: ['rotation'],
  repair: ['majority'],
  restore: ['restore', 'arrival', 'creation'],
  move: ['departure'],
}

/** Returns what the records of all drivers say, the strictest first. */
export function recordedUnfinished({
  movingTo,
  restoring,
}: Pick<RecordedPlane, 'movingTo' | 'restoring'>): Unfinished[] {
  return [
    ...(movingTo === undefined ? [] : [{ kind: 'departure', move: movingTo } as const]),
    ...(restoring === undefined ? [] : [restoreOf(restoring)]),
  ]
}

function restoreOf({ from, movingFrom }: NonNullable<RecordedPlane['restoring']>): Unfinished {
  return movingFrom === undefined ? { kind: 'restore', from } : { kind: 'arrival' }
}

/** Returns what an interrupted operation has left unfinished; undefined when nothing of it is left. */
export function leftBy(
  operation: OperationKind,
  unfinished: readonly Unfinished[],
): Unfinished | undefined {
  return unfinished.find(({ kind }) => LEFT_BY[operation].includes(kind))
}

/** Returns the commands that continue an interrupted operation; `keys` are those of an interrupted rotation. */
export function hintsToContinue(
  plane: PlaneReference,
  { keys, operation }: { operation: OperationKind; keys?: RotatedKeys | undefined },
  unfinished: readonly Unfinished[],
): readonly Hint[] {
  const alone: Unfinished =
    keys === undefined ? { kind: 'other', operation } : { kind: 'rotation', keys }
  const [, ...hints] = explain(plane, leftBy(operation, unfinished) ?? alone)
  return hints
}

type Explanation = [message: string, ...hints: Hint[]]

/** The actions that continue what leaves nothing for others to respect. */
const ACTION_OF = {
  create: 'resume',
  start: 'resume',
  pause: 'pause',
  change: 'resume',
  remove: 'delete',
  maintain: 'describe',
  rotate: 'rotate-certificates',
  repair: 'repair',
  restore: 'describe',
  move: 'move',
} as const satisfies Record<OperationKind, Action>

/** Returns what is unfinished as a sentence: `the creation of "dev" was interrupted`. */
export function describeUnfinished(reference: PlaneReference, unfinished: Unfinished): string {
  const [message] = explain(reference, unfinished)
  return message
}

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
  if (unfinished.kind === 'other') {
    const action = ACTION_OF[unfinished.operation]
    return [
      `an operation on "${name}" was interrupted: ${unfinished.operation}`,
      { purpose: 'to continue', action, plane },
    ]
  }
  if (unfinished.kind === 'restore') {
    const { from = 'SNAPSHOT' } = unfinished
    const hint = { purpose: 'run it again', action: 'restore', plane, force: true, from } as const
    return [`a restore of "${name}" was interrupted`, hint]
  }
  const explanations: Record<typeof unfinished.kind, Explanation> = {
    creation: [
      `the creation of "${name}" was interrupted`,
      { purpose: 'to continue', action: 'resume', plane },
    ],
    change: [
      `a change of the spec of "${name}" was interrupted`,
      { purpose: 'to continue', action: 'resume', plane },
    ],
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
