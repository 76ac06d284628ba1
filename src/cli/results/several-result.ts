import { counted } from '../../shared/text/counted.ts'
import { VplaneError } from '../../shared/errors.ts'
import type { Outcome } from '../../shared/concurrency/work-on-each.ts'
import type { PlaneSelector } from '../../control-plane/use-cases/find/find-planes.ts'
import { hintTexts } from '../catalog/hint-text.ts'
import { type ErrorJson, toErrorJson } from '../errors/present-error.ts'

/** What became of one of several planes; `result` is what the command returns for it alone. */
export interface PlaneOutcome<Result> {
  name: string
  /** Null when several NAMEs were given without it. */
  driver: string | null
  namespace: string | null
  hostContext: string | null
  outcome: 'done' | 'failed' | 'interrupted' | 'not-started'
  error: ErrorJson['error'] | null
  result: Result | null
}

/** The result of a command for several planes: part of the contract in schemas/. */
export interface SeveralResult<Result> {
  items: Array<PlaneOutcome<Result>>
}

interface FailedOutcome {
  item: PlaneSelector
  state: 'failed' | 'interrupted'
  error: VplaneError
}

/** An outcome whose error is one that is shown. */
export type ShownOutcome<Result> =
  | Exclude<Outcome<PlaneSelector, Result>, { error: unknown }>
  | FailedOutcome

/** The outcomes as `--json` shows them. */
export function toSeveralResult<Result>(
  outcomes: ReadonlyArray<ShownOutcome<Result>>,
): SeveralResult<Result> {
  return {
    items: outcomes.map((outcome) => {
      const { driver = null, hostContext = null, name, namespace = null } = outcome.item
      return {
        name,
        driver,
        namespace,
        hostContext,
        outcome: outcome.state,
        error: 'error' in outcome ? toErrorJson(outcome.error).error : null,
        result: outcome.state === 'done' ? outcome.result : null,
      }
    }),
  }
}

/** The name of one of several planes, with its host namespace: `team/dev`. */
export function shortNameOf({ name, namespace }: PlaneSelector): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

/** `1 control plane`, `40 control planes`. */
export function countedPlanes(count: number): string {
  return counted(count, 'control plane')
}

interface Summary {
  /** What all of them should be: `deleted`. */
  done: string
  /** The call that works on the rest. */
  again: string
  /** After a failure, no other plane was begun. @default false */
  isStopped?: boolean
}

/** If failures have more different hints than this, none is shown: each would be about one plane. */
const MOST_HINTS = 3

/**
 * The error that sums up what failed or was interrupted; undefined if nothing was. It has the code of the failures if
 * they all have the same, else `FAILED`.
 */
export function summaryOf<Result>(
  outcomes: ReadonlyArray<ShownOutcome<Result>>,
  { again, done, isStopped = false }: Summary,
): VplaneError | undefined {
  const failures = outcomes.filter(isFailed)
  const lines = failures.map(({ error, item }) => `\n  ${shortNameOf(item)}: ${shortly(error)}`)
  const ended = outcomes.filter(({ state }) => state === 'done').length
  const failed = failures.length === 0 ? '' : `, ${failures.length} failed:${lines.join('')}`
  const soFar = `${ended} of ${countedPlanes(outcomes.length)} ${isOrAre(ended)} ${done}${failed}`
  const isWhole = ended + failures.length === outcomes.length
  const [first] = failures
  if (!isWhole && (!isStopped || first === undefined)) {
    return new VplaneError('ABORTED', `interrupted: ${soFar}`)
  }
  if (first === undefined) {
    return undefined
  }
  const hints = hintTexts(failures.flatMap(({ error }) => error.hints))
  const { code } = first.error
  const isSame = failures.every(({ error }) => error.code === code)
  const which = `${failures.length} of ${countedPlanes(outcomes.length)}`
  return new VplaneError(
    isSame ? code : 'FAILED',
    isWhole
      ? `${which} ${isOrAre(failures.length)} not ${done}:${lines.join('')}`
      : `stopped after a failure: ${soFar}`,
    { hints: [...(hints.length > MOST_HINTS ? [] : hints), `to try again: ${again}`] },
  )
}

function isFailed<Result>(outcome: ShownOutcome<Result>): outcome is FailedOutcome {
  return outcome.state === 'failed'
}

/** The verb for so many. */
export function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}

/** The first line of a message, with the next one if that only introduces it. */
function shortly({ message }: VplaneError): string {
  const [first = '', second = ''] = message.split('\n')
  return first.endsWith(':') ? `${first} ${second.trim()}` : first
}
