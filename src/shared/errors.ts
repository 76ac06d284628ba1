import type { Hint } from './hint.ts'

/** Every error code and its exit status; docs/exit-codes.md is generated from it. */
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

/**
 * The one error that is meant for users.
 *
 * The message is lower case, without a period, names in double quotes, and explains what went wrong with which value.
 * The hints are what to do now, the most likely first.
 */
export class VplaneError extends Error {
  readonly code: ErrorCode
  readonly hints: readonly Hint[]

  constructor(
    code: ErrorCode,
    message: string,
    { hints = [], cause }: { hints?: readonly Hint[]; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'VplaneError'
    this.code = code
    this.hints = hints
  }

  get exitCode(): number {
    return EXIT_CODES[this.code]
  }
}

/** Whether an error has this system error code, such as `ENOENT` or `EEXIST`. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/** The answer; undefined when it fails with one of these system error codes. */
export async function unlessErrorCode<Answer>(
  codes: readonly string[],
  answer: Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (codes.some((code) => hasErrorCode(error, code))) {
      return undefined
    }
    throw error
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
