import type { Hint } from './hint.ts'

/**
 * Every error code and the exit status it ends the process with; docs/exit-codes.md is generated from it.
 */
export const EXIT_CODES = {
  BUG: 1,
  USAGE: 2,
  INVALID_NAME: 2,
  INVALID_SPEC: 2,
  UNSUPPORTED: 2,
  CONTROL_PLANE_NOT_FOUND: 3,
  NOT_FOUND: 3,
  CONTROL_PLANE_EXISTS: 4,
  CONFLICT: 4,
  UNREACHABLE: 5,
  TIMED_OUT: 6,
  FAILED: 7,
  COMPONENT_FAILED: 7,
  NEEDS_ATTENTION: 7,
  COMMAND_NOT_EXECUTABLE: 126,
  COMMAND_NOT_FOUND: 127,
  ABORTED: 130,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof EXIT_CODES

export interface ErrorDetails {
  /** What to do now, the most likely first. @default [] */
  hints?: readonly Hint[]
  cause?: unknown
}

/**
 * The one error that users see on purpose.
 *
 * The message is lower case, without a period, names in double quotes, and says what went wrong with which value.
 */
export class VplaneError extends Error {
  readonly code: ErrorCode
  readonly hints: readonly Hint[]

  constructor(code: ErrorCode, message: string, { hints = [], cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'VplaneError'
    this.code = code
    this.hints = hints
  }

  /** The exit status that belongs to the code. */
  get exitCode(): number {
    return EXIT_CODES[this.code]
  }
}

/** Tells whether an error carries this system error code, such as `ENOENT` or `EEXIST`. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
