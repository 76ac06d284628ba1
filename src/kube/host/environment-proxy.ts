import { BlockList, isIP, isIPv4 } from 'node:net'
import type { Environment } from '../../shared/environment.ts'
import { VplaneError } from '../../shared/errors.ts'

/**
 * The proxy of the environment for a server, by the rules of Go, which kubectl follows: `HTTPS_PROXY`, or `HTTP_PROXY`
 * for a server without TLS, unless `NO_PROXY` lists the server; never for this machine itself. The name in lower case
 * applies if the one in upper case is not set.
 *
 * @throws {VplaneError} `FAILED` when the value of the variable is not the address of a proxy.
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

/** Whether a server is on this machine, or in the list, whose invalid entries are ignored. */
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

/** `10.0.0.1`, `[::1]:443`, `example.com` (and its subdomains), `.example.com:443` (only its subdomains). */
function matches({ host, port }: { host: string; port: string }, entry: string): boolean {
  const [name, entryPort] = splitPort(entry)
  if (name === '' || (entryPort ?? port) !== port) {
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

const PROTOCOLS = ['http:', 'https:', 'socks5:', 'socks5h:']

/**
 * @param source its place, for the error: the address itself may contain a password.
 * @throws {VplaneError} `FAILED` when it is not the address of a proxy.
 */
export function parseProxyUrl(value: string, source: string): URL {
  const url = URL.parse(value)
  if (url === null || !PROTOCOLS.includes(url.protocol) || url.hostname === '') {
    const message = `${source} is not the address of a proxy: it must begin with http://, https:// or socks5://`
    throw new VplaneError('FAILED', message)
  }
  return url
}
