import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { httpStatusOf, isBroken, toConnectionError, toRefusal } from '../kube-error.ts'
import { readBody } from './read-body.ts'
import { eitherOf, isUnconnected, type KubeRequest, type Transport } from './transport.ts'

const MAX_ATTEMPTS = 5
/** Errors and plain text are short; longer bodies are cut. */
const MAX_TEXT_BYTES = 1024 * 1024

/**
 * Sends a request, up to five times, and returns the JSON of the response.
 *
 * It retries when the server is busy (429, and 503 if the request is idempotent) after the delay that the server names, when
 * an established connection breaks, and when a server that has answered before delays a new connection for too long.
 * When nothing listens it fails at once.
 *
 * @throws {VplaneError} by the status of the answer, see `toRefusal`; `UNREACHABLE` or `TIMED_OUT` without an answer.
 * When a signal fires, its reason is thrown as it is.
 */
export async function exchange(transport: Transport, request: KubeRequest): Promise<unknown> {
  const signal = eitherOf(transport.closed, request.signal)
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOf(transport, request)
    if (!('error' in outcome)) {
      return outcome.json
    }
    signal.throwIfAborted()
    if (attempt === MAX_ATTEMPTS || !isWorthAnother(outcome.error, request, transport)) {
      throw outcome.error
    }
    await pause(outcome.delayMs ?? backoff(transport, attempt), signal)
  }
}

/** Sends a request once and returns the text of the response, whatever the status. */
export async function exchangeText(
  transport: Transport,
  request: KubeRequest,
): Promise<{ status: number; body: string }> {
  try {
    const response = await transport.send(request)
    const body = await readBody(response, MAX_TEXT_BYTES)
    return { status: response.statusCode ?? 0, body }
  } catch (error) {
    eitherOf(transport.closed, request.signal).throwIfAborted()
    throw toConnectionError(error, transport.server)
  }
}

/** The error for a response; undefined for a 2xx status. Reads the body of an error. */
export async function refusalOf(
  transport: Transport,
  { method, path }: KubeRequest,
  response: IncomingMessage,
): Promise<VplaneError | undefined> {
  const status = response.statusCode ?? 0
  if (status >= 200 && status < 300) {
    return undefined
  }
  const body = await readBody(response, MAX_TEXT_BYTES)
  const refusal = toRefusal({ status, body, request: `${method} ${path}` })
  return status === 401 ? transport.denial(refusal) : refusal
}

type Outcome = { json: unknown } | { error: VplaneError; delayMs?: number | undefined }

async function attemptOf(transport: Transport, request: KubeRequest): Promise<Outcome> {
  let text: string
  try {
    const response = await transport.send(request)
    const error = await refusalOf(transport, request, response)
    if (error !== undefined) {
      return { error, delayMs: retryAfterOf(response, transport.patience.maxRetryMs) }
    }
    text = await readBody(response)
  } catch (error) {
    return { error: toConnectionError(error, transport.server) }
  }
  try {
    return { json: JSON.parse(text) }
  } catch (cause) {
    const message = `${transport.server} answered with something that is not JSON: ${messageOf(cause)}`
    return { error: new VplaneError('FAILED', message, { cause }) }
  }
}

/** A request that is not idempotent is repeated only after 429, or if it was never sent: it has had no effect then. */
function isWorthAnother(
  error: VplaneError,
  { isRepeatable, method }: KubeRequest,
  { hasAnswered }: Pick<Transport, 'hasAnswered'>,
): boolean {
  const status = httpStatusOf(error)
  const isSafe = isRepeatable ?? (method === 'GET' || method === 'DELETE')
  const hasDoneNothing = status === 429 || (isUnconnected(error) && hasAnswered())
  return hasDoneNothing || (isSafe && (status === 503 || isBroken(error)))
}

/** The delay of a `Retry-After` header, at most `maxMs`. Kubernetes sends seconds, never dates. */
function retryAfterOf(response: IncomingMessage, maxMs: number): number | undefined {
  const seconds = Number(response.headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, maxMs) : undefined
}

function backoff({ patience }: Transport, attempt: number): number {
  const delayMs = Math.min(patience.retryMs * 2 ** (attempt - 1), patience.maxRetryMs)
  return delayMs * (0.5 + Math.random() / 2)
}

/** Resolves after a delay. When the signal fires, its reason is thrown as it is. */
export async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(delayMs, undefined, { signal })
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}
