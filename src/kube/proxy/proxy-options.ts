import type { Agent } from 'node:https'

/** Where a proxy connects to. */
export interface Target {
  /** Name or address, without brackets. The proxy resolves names. */
  host: string
  port: number
}

export interface ProxyOptions {
  /** `http:`, `https:`, `socks5:` or `socks5h:`, with user and password if it requires them. */
  proxy: URL
  /** Makes the connections to an `https:` proxy. */
  agent?: Agent | undefined
  /** Ends the attempt, but not an established connection. */
  signal: AbortSignal
}

/** The user and password for a proxy, unescaped; undefined when its URL has none. */
export function loginFor({
  password,
  username,
}: URL): { user: string; password: string } | undefined {
  return username === '' && password === ''
    ? undefined
    : { user: decodeURIComponent(username), password: decodeURIComponent(password) }
}

/** Where a proxy listens. */
export function addressOfProxy({ hostname, port, protocol }: URL): Target {
  const usual = { 'http:': 80, 'https:': 443 }[protocol] ?? 1080
  return {
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: port === '' ? usual : Number(port),
  }
}
