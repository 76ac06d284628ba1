import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Environment } from '../../../../shared/environment.ts'
import { messageOf, VplaneError } from '../../../../shared/errors.ts'

/** The default timeouts and delays, in milliseconds. */
const DEFAULT_LIMITS = {
  connectMs: 3000,
  headersMs: 10_000,
  /** For the next part of an answer. */
  stallMs: 20_000,
  /** Before the first retry; later delays are a multiple of it. */
  retryMs: 250,
}

export type HttpLimits = typeof DEFAULT_LIMITS

export interface HttpResponse {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Readable
}

export interface HttpRequest {
  headers?: Record<string, string>
  signal: AbortSignal
}

export interface Http extends AsyncDisposable {
  readonly limits: HttpLimits
  /** Uses proxies, follows redirects. @throws {VplaneError} `UNREACHABLE` when no answer comes. */
  get(url: string, request: HttpRequest): Promise<HttpResponse>
}

const MAX_REDIRECTS = 5
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])
const TRANSIENT_STATUSES = new Set([429, 500, 502, 503, 504])
const RETRY_FACTORS = [1, 4]

/** Uses HTTP_PROXY, HTTPS_PROXY, NO_PROXY. @throws {VplaneError} `USAGE` when one is not a URL. */
export async function openHttp(
  environment: Environment,
  given: Partial<HttpLimits> = {},
): Promise<Http> {
  // In the bundle, a CommonJS package that is imported dynamically only has a default export.
  const { default: undici } = await import('undici')
  const limits = { ...DEFAULT_LIMITS, ...given }
  const dispatcher = orUsageError(
    () =>
      new undici.EnvHttpProxyAgent({
        httpProxy: variable(environment, 'http_proxy'),
        httpsProxy: variable(environment, 'https_proxy'),
        noProxy: variable(environment, 'no_proxy'),
        connectTimeout: limits.connectMs,
        headersTimeout: limits.headersMs,
        bodyTimeout: limits.stallMs,
      }),
  )
  const send = async (url: URL, { headers, signal }: HttpRequest): Promise<HttpResponse> => {
    const options = { dispatcher, signal, headers: { 'accept-encoding': 'identity', ...headers } }
    for (const factor of [...RETRY_FACTORS, undefined]) {
      const { body, headers: answered, statusCode: status } = await undici.request(url, options)
      if (factor === undefined || !TRANSIENT_STATUSES.has(status)) {
        return { status, headers: answered, body }
      }
      discard(body)
      await delay(factor * limits.retryMs, undefined, { signal })
    }
    throw new Error('the last try returns')
  }
  return {
    limits,
    get: async (url, options) => {
      try {
        return await followRedirects(send, url, options)
      } catch (error) {
        throw toHttpError(error, url, options.signal)
      }
    },
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}

/** @throws {VplaneError} `NOT_FOUND` when the URL does not exist, `UNREACHABLE` for every other status except 200. */
export function requireStatus({ body, status }: HttpResponse, url: string): void {
  if (status === 200) {
    return
  }
  discard(body)
  const { host } = new URL(url)
  throw status === 404 || status === 410
    ? new VplaneError('NOT_FOUND', `there is no ${displayUrl(url)}`)
    : new VplaneError('UNREACHABLE', `${host} answers ${status} to ${displayUrl(url)}`)
}

/** Closes an answer that is not read. */
export function discard(body: Readable): void {
  // Undici emits an error for the destruction, and an unhandled one ends the process.
  body.on('error', () => {})
  body.destroy()
}

/** A URL without credentials, to show it. */
export function displayUrl(url: string): string {
  const { host, pathname, protocol } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

/** The error for a server that does not answer, or stops answering. */
export function toHttpError(error: unknown, url: string, signal: AbortSignal): VplaneError {
  if (error instanceof VplaneError) {
    return error
  }
  if (signal.aborted) {
    return new VplaneError('ABORTED', 'interrupted while downloading', { cause: error })
  }
  const { host } = new URL(url)
  return new VplaneError('UNREACHABLE', `cannot reach ${host} (${reasonOf(error)})`, {
    cause: error,
  })
}

/** An error of happy eyeballs holds one error for each address. */
function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error]
  return messageOf(first) === '' ? messageOf(error) : messageOf(first)
}

/** Lower case has precedence. An empty value keeps undici from reading the process's own variables. */
function variable(environment: Environment, name: string): string {
  return environment[name] ?? environment[name.toUpperCase()] ?? ''
}

function orUsageError<T>(open: () => T): T {
  try {
    return open()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ERR_INVALID_URL' && code !== 'UND_ERR_INVALID_ARG') {
      throw error
    }
    throw new VplaneError('USAGE', `HTTP_PROXY or HTTPS_PROXY is not a URL of a proxy`, {
      hints: ['export HTTPS_PROXY=http://proxy.example.com:3128'],
      cause: error,
    })
  }
}

async function followRedirects(
  send: (url: URL, request: HttpRequest) => Promise<HttpResponse>,
  url: string,
  request: HttpRequest,
): Promise<HttpResponse> {
  let { target, authorization } = withoutCredentials(new URL(url))
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const headers = { ...request.headers, ...authorization }
    const response = await send(target, { ...request, headers })
    const location = response.headers['location']
    if (!REDIRECT_STATUSES.has(response.status) || typeof location !== 'string') {
      return response
    }
    discard(response.body)
    const next = new URL(location, target)
    if (target.protocol === 'https:' && next.protocol !== 'https:') {
      throw new VplaneError('UNREACHABLE', `${target.host} redirects to plain http`)
    }
    authorization = next.origin === target.origin ? authorization : {}
    target = next
  }
  throw new VplaneError('UNREACHABLE', `${target.host} redirects more than ${MAX_REDIRECTS} times`)
}

function withoutCredentials(url: URL): { target: URL; authorization: Record<string, string> } {
  const target = new URL(url)
  target.username = ''
  target.password = ''
  if (url.username === '') {
    return { target, authorization: {} }
  }
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const encoded = Buffer.from(credentials).toString('base64')
  return { target, authorization: { authorization: `Basic ${encoded}` } }
}
