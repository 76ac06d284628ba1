import { getCACertificates } from 'node:tls'

/** The CAs that this machine trusts, PEM, or those of Node.js if it has none. The first call takes 50 ms. */
export function systemAuthorities(): string {
  const own = getCACertificates('system')
  const authorities = own.length > 0 ? own : getCACertificates('bundled')
  return [...new Set([...authorities, ...getCACertificates('extra')])].join('\n')
}
