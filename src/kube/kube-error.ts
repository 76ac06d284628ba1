import { type ErrorCode, hasErrorCode, messageOf, VplaneError } from '../shared/errors.ts'
import { recordsAt, textAt, numberAt } from '../shared/json-fields.ts'

/** An error response of an API server: the cause of the `VplaneError` created from it. */
class StatusError extends Error {
  readonly status: number
  /** The machine-readable reason of the server, such as `AlreadyExists`. */
  readonly reason: string | undefined
  /** Why the server refused each field of the object. */
  readonly causes: readonly StatusCause[]

  constructor(
    status: number,
    message: string,
    { causes = [], reason }: Partial<StatusFields> = {},
  ) {
    super(message)
    this.name = 'StatusError'
    this.status = status
    this.reason = reason
    this.causes = causes
  }
}

/** One of the `details.causes` of a `Status`. */
export interface StatusCause {
  /** Such as `FieldManagerConflict`. */
  reason: string
  message: string
  /** Path of the field, such as `.spec.replicas`. */
  field: string
}

interface StatusFields {
  message: string | undefined
  reason: string | undefined
  causes: StatusCause[]
}

export interface Refusal {
  status: number
  /** A `Status` object as JSON text, or any other text that the server sent. */
  body: string
  /** The request, such as `GET /api/v1/nodes`, for a response without a message. */
  request: string
}

/** The error for an answer of 300 and above, with the server's own message. */
export function toRefusal({ status, body, request }: Refusal): VplaneError {
  const fields = parseStatus(body)
  const message = fields.message ?? `${request} was answered with status ${status}${excerpt(body)}`
  const cause = new StatusError(status, message, fields)
  return new VplaneError(codeOf(status), message.replace(/[\s.:]+$/, ''), { cause })
}

/** The error for a `Status` object received during a watch. */
export function toWatchRefusal(status: unknown): VplaneError {
  const code = numberAt(status, 'code') ?? 500
  return toRefusal({ status: code, body: JSON.stringify(status) ?? '', request: 'the watch' })
}

/** The HTTP status that an error was created from; undefined for all other errors. */
export function httpStatusOf(error: unknown): number | undefined {
  return error instanceof VplaneError && error.cause instanceof StatusError
    ? error.cause.status
    : undefined
}

/** The response; undefined when the server refuses with one of these statuses. */
export async function unlessStatus<Answer>(
  statuses: readonly number[],
  answer: Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (statuses.includes(httpStatusOf(error) ?? 0)) {
      return undefined
    }
    throw error
  }
}

/** Why the server refused each field of the object; empty for any other error. */
export function causesOf(error: unknown): readonly StatusCause[] {
  return error instanceof VplaneError && error.cause instanceof StatusError
    ? error.cause.causes
    : []
}

/** The error for a missing or refused login. Its status is always 401, even without a request, so that retries stop. */
export function loginNeeded(
  message: string,
  { cause, hints = [] }: { hints?: string[]; cause?: unknown } = {},
): VplaneError {
  const status = new StatusError(401, messageOf(cause ?? 'Unauthorized'))
  status.cause = cause
  return new VplaneError('FAILED', message, { hints, cause: status })
}

/** Whether the user has to log in to the server; the error's message and hints explain how. */
export function isLoginNeeded(error: unknown): boolean {
  return httpStatusOf(error) === 401
}

/** The error for a connection that failed or broke. Returns a `VplaneError` unchanged. */
export function toConnectionError(error: unknown, server: string): VplaneError {
  if (error instanceof VplaneError) {
    return error
  }
  const { code, why } = explain(error)
  return new VplaneError(code, `cannot reach ${server}: ${why}`, { cause: error })
}

/** Whether an established connection broke. */
export function isBroken(error: unknown): boolean {
  const cause = error instanceof VplaneError ? error.cause : error
  return hasErrorCode(cause, 'ECONNRESET') || hasErrorCode(cause, 'EPIPE')
}

function codeOf(status: number): ErrorCode {
  switch (status) {
    case 404:
      return 'NOT_FOUND'
    case 409:
      return 'CONFLICT'
    case 408:
    case 504:
      return 'TIMED_OUT'
    case 429:
    case 502:
    case 503:
      return 'UNREACHABLE'
    default:
      return 'FAILED'
  }
}

function parseStatus(body: string): StatusFields {
  try {
    const status: unknown = JSON.parse(body)
    const message = textAt(status, 'message')
    if (message !== undefined) {
      return {
        message,
        reason: textAt(status, 'reason'),
        causes: recordsAt(status, 'details', 'causes').map((cause) => ({
          reason: textAt(cause, 'reason') ?? '',
          message: textAt(cause, 'message') ?? '',
          field: textAt(cause, 'field') ?? '',
        })),
      }
    }
  } catch {
    // Proxies and health checks answer in plain text.
  }
  return { message: undefined, reason: undefined, causes: [] }
}

/** The first 200 characters of a plain text response, on one line, without control characters. */
function excerpt(body: string): string {
  const line = body
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
  return line === '' ? '' : `: ${line}`
}

function explain(error: unknown): { code: ErrorCode; why: string } {
  const systemCode = error instanceof Error && 'code' in error ? String(error.code) : ''
  switch (systemCode) {
    case 'ECONNREFUSED':
      return { code: 'UNREACHABLE', why: 'nothing listens there' }
    case 'ECONNRESET':
    case 'EPIPE':
      return { code: 'UNREACHABLE', why: 'the connection broke' }
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { code: 'UNREACHABLE', why: 'its name cannot be resolved' }
    case 'SILENT':
      return { code: 'TIMED_OUT', why: messageOf(error) }
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return { code: 'UNREACHABLE', why: `what listens there does not speak TLS (${systemCode})` }
    default:
      return { code: 'UNREACHABLE', why: explainOther(error, systemCode) }
  }
}

function explainOther(error: unknown, systemCode: string): string {
  const isTrust = /^CERT_|^ERR_TLS_CERT|SELF_SIGNED|VERIFY|UNABLE_TO_GET/.test(systemCode)
  return isTrust ? `its certificate is not trusted: ${messageOf(error)}` : messageOf(error)
}
