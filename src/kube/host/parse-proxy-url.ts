import { VplaneError } from '../../shared/errors.ts'

const PROTOCOLS = ['http:', 'https:', 'socks5:', 'socks5h:']

/**
 * The address of a proxy.
 *
 * @param source where it is written, as it reads in an error; the address itself may hold a password.
 * @throws {VplaneError} `FAILED` when it is none.
 */
export function parseProxyUrl(value: string, source: string): URL {
  const url = URL.parse(value)
  if (url === null || !PROTOCOLS.includes(url.protocol) || url.hostname === '') {
    throw new VplaneError(
      'FAILED',
      `${source} is not the address of a proxy: it has to begin with http://, https:// or socks5://`,
    )
  }
  return url
}
