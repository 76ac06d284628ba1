import { type ErrorCode, VplaneError as AnyError } from '../../shared/errors.ts'
import type { Action, ActionHint, Hint } from '../../shared/hint.ts'

/** An error that users of the library see on purpose. */
export interface VplaneError extends Omit<AnyError, 'hints'> {
  /** What to do now: short sentences, calls of the library, and commands to paste, the most likely first. */
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

/** The class of what users of the library catch. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `forUsers` makes texts of all hints
export const VplaneError = AnyError as UserErrors

/** Passes on what `work` comes to; the hints of an error say what users of the library can do. */
export async function forUsers<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof AnyError
      ? Object.assign(error, { hints: [...new Set(error.hints.flatMap(userHints))] })
      : error
  }
}

const ANOTHER = 'await plane.stop(), or "await using plane", and another one: startControlPlane()'

/** No command knows the planes of the library: what is not here, nobody can do with them. */
const CALLS: Partial<Record<Action, string>> = {
  create: ANOTHER,
  delete: ANOTHER,
  'examine-machine': 'npx vplane doctor',
  'get-binaries': 'npx vplane binaries pull',
  'prune-binaries': 'npx vplane binaries prune',
  repair: ANOTHER,
  resume: ANOTHER,
}

/** What users of the library can do of a hint: nothing, or one text. */
export function userHints(hint: Hint): string[] {
  if (typeof hint === 'string') {
    return [hint]
  }
  const call = callOf(hint)
  return call === undefined ? [] : [hint.purpose === undefined ? call : `${hint.purpose}: ${call}`]
}

function callOf(hint: ActionHint): string | undefined {
  if (hint.action === undefined) {
    const { binDir, set } = hint
    if (binDir !== undefined) {
      return binDir === false ? 'leave out binDir' : `startControlPlane({ binDir: '${binDir}' })`
    }
    return set === undefined ? undefined : `in the spec: ${set}`
  }
  const { action, what } = hint
  return action === 'logs' ? `plane.logs('${what}')` : CALLS[action]
}
