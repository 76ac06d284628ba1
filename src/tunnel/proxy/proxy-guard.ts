import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

interface GuardOptions {
  port: number
  /** The host and port for browsers, which send cookies of 127.0.0.1 to the servers on all of its ports. */
  browserHost: string
  token: string
  /** The cookie that a browser receives for it, so that the token is not in each request. */
  session: string
}

export interface GuardedRequest {
  method?: string | undefined
  url?: string | undefined
  headers: IncomingHttpHeaders
}

type Verdict =
  /** The request is forwarded to the plane with these headers. */
  | { kind: 'pass'; headers: IncomingHttpHeaders }
  /**
   * A browser sends the token for the first time: it receives a cookie and is redirected to the page without token. At
   * another address it is redirected to its own first.
   */
  | { kind: 'enter'; location: string; cookie?: string }
  | { kind: 'refuse'; status: 400 | 401 | 403; message: string }

/** The values of Sec-Fetch-Site that may use the proxy: its own pages, and the address bar. */
const OWN_SITES = ['same-origin', 'none']

const TOKEN = 'token'
const BASE = 'http://proxy'

/**
 * Judges requests to a proxy that acts as an administrator, on an address that every page in a browser and every user
 * of this machine can reach.
 *
 * Checking the Host header refuses names that resolve to this machine (DNS rebinding), Origin and Sec-Fetch-Site refuse
 * other pages, and the token refuses everyone else.
 */
export function createGuard(options: GuardOptions): (request: GuardedRequest) => Verdict {
  const { browserHost } = options
  const hosts = [`127.0.0.1:${options.port}`, `localhost:${options.port}`, browserHost]
  const cookieName = `vplane-proxy-${options.port}`
  return ({ headers, method, url = '' }) => {
    const { host = '', origin } = headers
    if (!url.startsWith('/')) {
      return refuse(400, 'this proxy serves no other addresses')
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
    const isBrowserHost = host.toLowerCase() === browserHost
    if (shown !== null && isSame(shown, options.token) && method === 'GET') {
      if (!isBrowserHost) {
        return { kind: 'enter', location: `http://${browserHost}${pathOf(url)}` }
      }
      const cookie = `${cookieName}=${options.session}; Path=/; HttpOnly; SameSite=Strict`
      return { kind: 'enter', location: pathOf(url, { withoutToken: true }), cookie }
    }
    const isKnown =
      isSame(bearerOf(headers), options.token) ||
      (isBrowserHost && isSame(cookiesOf(headers).get(cookieName) ?? '', options.session))
    return isKnown
      ? { kind: 'pass', headers: withoutSecrets(headers, cookieName) }
      : refuse(
          401,
          `the proxy requires its token: an "Authorization: Bearer" header, or ?${TOKEN}= once`,
        )
  }
}

function refuse(status: 400 | 401 | 403, message: string): Verdict {
  return { kind: 'refuse', status, message }
}

/** Compares two secrets in a time that does not depend on them. */
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

/** The headers for the plane, which authenticates the proxy by its certificate and would refuse the proxy's token. */
function withoutSecrets(headers: IncomingHttpHeaders, cookieName: string): IncomingHttpHeaders {
  const { authorization: _, cookie: __, host: ___, origin: ____, ...rest } = headers
  const cookies = cookiesOf(headers)
  cookies.delete(cookieName)
  cookies.delete('')
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return cookie === '' ? rest : { ...rest, cookie }
}

/** The path and query alone: a path that begins with two slashes must not redirect a browser to another server. */
function pathOf(url: string, { withoutToken = false } = {}): string {
  const { pathname, searchParams } = new URL(url, BASE)
  if (withoutToken) {
    searchParams.delete(TOKEN)
  }
  const path = pathname.replace(/^[/\\]+/, '/')
  return searchParams.size === 0 ? path : `${path}?${searchParams.toString()}`
}
