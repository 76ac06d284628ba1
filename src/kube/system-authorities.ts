import { getCACertificates } from 'node:tls'

/** The CAs that this machine trusts, PEM; those that Node brings where it has none. Takes 50 ms the first time. */
export function systemAuthorities(): string {
  const own = getCACertificates('system')
  const authorities = own.length > 0 ? own : getCACertificates('bundled')
  return [...new Set([...authorities, ...getCACertificates('extra')])].join('\n')
}
