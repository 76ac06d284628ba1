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

/** Whether something that was thrown is an error for users with one of these codes. */
export function isVplaneError(
  error: unknown,
  ...codes: readonly ErrorCode[]
): error is VplaneError {
  return error instanceof VplaneError && codes.includes(error.code)
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

/** System errors in words; Node.js shows their codes. */
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  E2BIG: 'the arguments are too long',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'it is not an address of this machine',
  EDQUOT: 'the disk quota is used up',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links lead in a circle',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'too many open files on this machine',
  ENOENT: 'no such file or folder',
  ENOEXEC: 'it is not a program',
  ENOSPC: 'no space left on the device',
  ENOTDIR: 'its path leads through a file',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
}

/** The message of anything that was thrown; a system error in words, with its path. */
export function messageOf(error: unknown): string {
  const path = isSystemError(error) ? error.path : undefined
  return path === undefined ? reasonOf(error) : `${reasonOf(error)}: "${path}"`
}

/** Like `messageOf`, for messages that already name the path. */
export function reasonOf(error: unknown): string {
  if (isSystemError(error)) {
    return SYSTEM_ERRORS[error.code] ?? error.message
  }
  return error instanceof Error ? error.message : String(error)
}

/** Whether the operating system reported an error that has words: its cause is a file or the machine. */
export function isSystemError(error: unknown): error is Error & { code: string; path?: string } {
  return (
    error instanceof Error &&
    'syscall' in error &&
    'code' in error &&
    String(error.code) in SYSTEM_ERRORS
  )
}
