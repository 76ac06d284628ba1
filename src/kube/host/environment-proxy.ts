import { BlockList, isIP, isIPv4 } from 'node:net'
import type { Environment } from '../../shared/environment.ts'
import { parseProxyUrl } from './parse-proxy-url.ts'

/**
 * The proxy that the environment wants for a server, by the rules of Go, which kubectl follows: `HTTPS_PROXY`, or
 * `HTTP_PROXY` for a server without TLS, unless `NO_PROXY` lists the server; never for this machine itself. Lower-case
 * names count where the upper-case one is not set.
 *
 * @throws {VplaneError} `FAILED` when the variable holds no address of a proxy.
 */
export function proxyFromEnvironment(server: URL, environment: Environment): URL | undefined {
  const variable = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const value = either(environment, variable)
  if (value === '' || isExcluded(server, either(environment, 'NO_PROXY'))) {
    return undefined
  }
  return parseProxyUrl(value.includes('://') ? value : `http://${value}`, variable)
}

function either(environment: Environment, name: string): string {
  const value = environment[name] ?? ''
  return value === '' ? (environment[name.toLowerCase()] ?? '') : value
}

/** Whether a server is on this machine, or in the list. What is wrong in the list is passed over. */
function isExcluded(server: URL, list: string): boolean {
  const host = server.hostname.toLowerCase().replaceAll(/^\[|\]$/g, '')
  const port = server.port === '' ? (server.protocol === 'https:' ? '443' : '80') : server.port
  if (host === 'localhost' || isWithin(host, '127.0.0.0/8') || isWithin(host, '::1/128')) {
    return true
  }
  return list
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim())
    .some((entry) => entry === '*' || isWithin(host, entry) || matches({ host, port }, entry))
}

/** `10.0.0.1`, `[::1]:443`, `example.com` (with all below it), `.example.com:443` (only what is below it). */
function matches({ host, port }: { host: string; port: string }, entry: string): boolean {
  const [name, wantedPort] = splitPort(entry)
  if (name === '' || (wantedPort ?? port) !== port) {
    return false
  }
  if (isIP(name) !== 0) {
    return isWithin(host, `${name}/${isIPv4(name) ? 32 : 128}`)
  }
  const suffix = name.replace(/^\*?\./, '.')
  return suffix.startsWith('.') ? host.endsWith(suffix) : `.${host}`.endsWith(`.${name}`)
}

function splitPort(entry: string): [name: string, port: string | undefined] {
  const [, name, port] = /^(.*):(\d+)$/.exec(isIP(entry) === 0 ? entry : '') ?? ['', entry]
  return [(name ?? '').replaceAll(/^\[|\]$/g, ''), port]
}

function isWithin(host: string, range: string): boolean {
  const [address = '', prefix = ''] = range.split('/')
  const family = isIP(address)
  if (family === 0 || isIP(host) === 0 || !/^\d{1,3}$/.test(prefix)) {
    return false
  }
  const bits = Number(prefix)
  if (bits > (family === 4 ? 32 : 128)) {
    return false
  }
  const list = new BlockList()
  list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  return list.check(host, isIPv4(host) ? 'ipv4' : 'ipv6')
}
