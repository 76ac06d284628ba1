import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { VplaneError } from '../../shared/errors.ts'
import { formatIpAddress, ipAddressBytes } from '../x509/ip-address.ts'

interface ServerSansOptions {
  serviceRange: string
  clusterDomain: string
  extraSans: readonly string[]
}

/**
 * The host names and addresses of kube-apiserver without duplicates: the names and the address (the first of the range)
 * of the `kubernetes` Service, loopback, and those that the user adds.
 *
 * @throws {VplaneError} `INVALID_SPEC` when the range is invalid, or has fewer than the 8 addresses that kube-apiserver
 *   requires.
 */
export function apiServerSans(options: ServerSansOptions): string[] {
  const { clusterDomain, extraSans, serviceRange } = options
  return [
    ...new Set([
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      `kubernetes.default.svc.${clusterDomain}`,
      'localhost',
      '127.0.0.1',
      '::1',
      firstAddress(serviceRange),
      ...extraSans,
    ]),
  ]
}

/** Whether a server certificate is valid for exactly these host names and addresses. */
export function hasExactSans(certificate: string, sans: readonly string[]): boolean {
  const parsed = new X509Certificate(certificate)
  const names = (parsed.subjectAltName ?? '').split(', ').filter((name) => name !== '')
  return (
    names.length === sans.length &&
    sans.every((san) =>
      isIP(san) === 0 ? names.includes(`DNS:${san}`) : parsed.checkIP(san) !== undefined,
    )
  )
}

function firstAddress(range: string): string {
  const [address = '', prefix = ''] = range.split('/', 2)
  const bytes = ipAddressBytes(address)
  const bits = (bytes?.length ?? 0) * 8
  if (bytes === undefined || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits - 3) {
    const message = `the service range "${range}" is not an IP range of 8 addresses or more`
    throw new VplaneError('INVALID_SPEC', message, { hints: ['try "10.96.0.0/16"'] })
  }
  const network = bytes.map((byte, index) => byte & maskOf(Number(prefix) - index * 8))
  // At least three bits are free, so there is no carry.
  network[network.length - 1] = (network.at(-1) ?? 0) + 1
  return formatIpAddress(Buffer.from(network))
}

/** The mask of one byte with `bits` bits of the network. */
function maskOf(bits: number): number {
  return 0xff & (0xff << Math.min(8, Math.max(0, 8 - bits)))
}
