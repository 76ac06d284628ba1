import { type ErrorCode, VplaneError as AnyError } from '../../shared/errors.ts'
import type { Action, ActionHint, Hint } from '../../shared/hint.ts'

/** An error that the library reports to its users. */
export interface VplaneError extends Omit<AnyError, 'hints'> {
  /** What to do next: short sentences, calls of the library, and commands to paste, the most likely first. */
  readonly hints: readonly string[]
}

interface UserErrors {
  new (
    code: ErrorCode,
    message: string,
    details?: { hints?: readonly string[]; cause?: unknown },
  ): VplaneError
  readonly prototype: VplaneError
}

/** The class of errors that users of the library catch. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `withUserHints` converts all hints to texts
export const VplaneError = AnyError as UserErrors

/** Returns the result of `work`; converts the hints of its error to texts for users of the library. */
export async function withUserHints<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof AnyError
      ? Object.assign(error, { hints: [...new Set(error.hints.flatMap(userHints))] })
      : error
  }
}

const ANOTHER =
  'stop it (await plane.stop(), or "await using plane"), and start another one: startControlPlane()'

/** The calls for actions; commands cannot access the planes of the library, so hints for other actions are dropped. */
const CALLS: Partial<Record<Action, string>> = {
  create: ANOTHER,
  delete: ANOTHER,
  'examine-machine': 'npx vplane doctor',
  'get-binaries': 'npx vplane binaries pull',
  'prune-binaries': 'npx vplane binaries prune',
  repair: ANOTHER,
  resume: ANOTHER,
}

/** Converts a hint to the text for users of the library, if they can follow it. */
export function userHints(hint: Hint): string[] {
  if (typeof hint === 'string') {
    return [hint]
  }
  const call = callOf(hint)
  return call === undefined ? [] : [hint.purpose === undefined ? call : `${hint.purpose}: ${call}`]
}

function callOf(hint: ActionHint): string | undefined {
  const { action, what } = hint
  if (action === 'explain') {
    return ['npx vplane explain', what].filter((word) => word !== undefined).join(' ')
  }
  if (action === 'get-binaries' && hint.kine === true) {
    return `${CALLS[action]} --kine`
  }
  if (action !== undefined) {
    return action === 'logs' ? `plane.logs('${what}')` : CALLS[action]
  }
  const { binDir, set } = hint
  if (binDir === undefined) {
    return set === undefined ? undefined : `in the spec: ${set}`
  }
  return binDir === false ? 'leave out binDir' : `startControlPlane({ binDir: '${binDir}' })`
}
