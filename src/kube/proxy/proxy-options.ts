import type { Agent } from 'node:https'

/** Where a proxy is to lead. */
export interface Target {
  /** Name or address, without brackets. The proxy looks names up. */
  host: string
  port: number
}

/** The proxy on the way to a target. */
export interface ProxyOptions {
  /** `http:`, `https:`, `socks5:` or `socks5h:`, with user and password if it wants them. */
  proxy: URL
  /** Makes the connections to an `https:` proxy. */
  agent?: Agent | undefined
  /** Ends the way there; the connection that came of it lives on. */
  signal: AbortSignal
}

/** The user and password for a proxy, as they are; undefined when it wants none. */
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
