import { messageOf, VplaneError } from '../../shared/errors.ts'

/** An error as conditions show it. */
export function failureOf(error: unknown): { reason: string; message: string } {
  const reason = error instanceof VplaneError ? toReason(error.code) : 'Failed'
  return { reason, message: messageOf(error) }
}

/** `INVALID_SPEC` as conditions write it: `InvalidSpec`. */
function toReason(code: string): string {
  return code
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
