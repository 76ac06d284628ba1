import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export interface GuardOptions {
  port: number
  /** What a client has to know. */
  token: string
  /** What a browser gets for it, so that the token is in no history and in no request. */
  session: string
}

export interface GuardedRequest {
  method?: string | undefined
  url?: string | undefined
  headers: IncomingHttpHeaders
}

export type Verdict =
  /** Goes on to the plane, with these headers. */
  | { kind: 'pass'; headers: IncomingHttpHeaders }
  /** A browser that shows the token for the first time: it gets a cookie, and is sent to where it wanted to go. */
  | { kind: 'enter'; location: string; cookie: string }
  | { kind: 'refuse'; status: 400 | 401 | 403; message: string }

/** Where requests of a page come from that may use the proxy: the proxy's own pages, or the address bar. */
const OWN_SITES = ['same-origin', 'none']

const TOKEN = 'token'
const BASE = 'http://proxy'

/**
 * Judges requests to a proxy that speaks for an administrator, on an address that every page in a browser of this machine
 * and every user of it can reach.
 *
 * The Host header keeps out names that were made to lead here (DNS rebinding), Origin and Sec-Fetch-Site keep out other
 * pages, and the token keeps out everybody else.
 */
export function createGuard(options: GuardOptions): (request: GuardedRequest) => Verdict {
  const hosts = [`127.0.0.1:${options.port}`, `localhost:${options.port}`]
  const cookieName = `vplane-proxy-${options.port}`
  return ({ headers, method, url = '' }) => {
    const { host = '', origin } = headers
    if (!url.startsWith('/')) {
      return refuse(400, 'this is no proxy for other addresses')
    }
    if (!URL.canParse(url, BASE)) {
      return refuse(400, `"${url}" is not a path`)
    }
    if (!hosts.includes(host.toLowerCase())) {
      return refuse(403, `"${host}" is not the address of this proxy: it is ${hosts.join(' and ')}`)
    }
    const site = headers['sec-fetch-site']
    const isForeign =
      (origin !== undefined && origin !== `http://${host.toLowerCase()}`) ||
      (site !== undefined && !OWN_SITES.includes(site))
    if (isForeign) {
      return refuse(403, 'other pages may not use this proxy')
    }
    const shown = new URL(url, BASE).searchParams.get(TOKEN)
    if (shown !== null && isSame(shown, options.token) && method === 'GET') {
      const cookie = `${cookieName}=${options.session}; Path=/; HttpOnly; SameSite=Strict`
      return { kind: 'enter', location: withoutToken(url), cookie }
    }
    const isKnown =
      isSame(bearerOf(headers), options.token) ||
      isSame(cookiesOf(headers).get(cookieName) ?? '', options.session)
    return isKnown
      ? { kind: 'pass', headers: withoutSecrets(headers, cookieName) }
      : refuse(
          401,
          `this takes the token of the proxy: an "Authorization: Bearer" header, or ?${TOKEN}= once`,
        )
  }
}

function refuse(status: 400 | 401 | 403, message: string): Verdict {
  return { kind: 'refuse', status, message }
}

/** Takes as long for a wrong token as for the right one. */
function isSame(shown: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(shown), digest(expected))
}

function bearerOf({ authorization = '' }: IncomingHttpHeaders): string {
  return /^bearer (.*)$/i.exec(authorization)?.[1] ?? ''
}

function cookiesOf({ cookie = '' }: IncomingHttpHeaders): Map<string, string> {
  return new Map(
    cookie.split(';').map((pair) => {
      const [name = '', ...value] = pair.trim().split('=')
      return [name, value.join('=')]
    }),
  )
}

/** What the plane gets: it knows us by our certificate, and a bearer token of ours would be a wrong one there. */
function withoutSecrets(headers: IncomingHttpHeaders, cookieName: string): IncomingHttpHeaders {
  const {
    authorization: _authorization,
    cookie: _cookie,
    host: _host,
    origin: _origin,
    ...rest
  } = headers
  const cookies = cookiesOf(headers)
  cookies.delete(cookieName)
  cookies.delete('')
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return cookie === '' ? rest : { ...rest, cookie }
}

/** Path and query only: a browser must not be sent to another server by a path that begins with two slashes. */
function withoutToken(url: string): string {
  const { pathname, searchParams } = new URL(url, BASE)
  searchParams.delete(TOKEN)
  const path = pathname.replace(/^[/\\]+/, '/')
  return searchParams.size === 0 ? path : `${path}?${searchParams.toString()}`
}
