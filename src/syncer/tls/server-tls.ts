import { constants } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'
import { createSecureContext } from 'node:tls'
import { messageOf, VplaneError } from '../../shared/errors.ts'

/** Who a server of the syncer is, and who may talk to it. PEM. */
export interface ServerTls {
  /** The server's certificate, with those between it and the CA behind it. */
  certificate: string
  key: string
  /** The CAs that client certificates may be from. */
  authorities: string
}

/**
 * How a port shakes hands.
 *
 * @param what the server, for errors
 * @throws {VplaneError} `FAILED` when certificate, key and authorities cannot be used.
 */
export function serverTls(
  { authorities, certificate, key }: ServerTls,
  what: string,
): SecureContextOptions {
  const options: SecureContextOptions = {
    cert: certificate,
    key,
    ca: authorities,
    minVersion: 'TLSv1.2',
    // A resumed session is one whose certificate nobody looks at again.
    secureOptions: constants.SSL_OP_NO_TICKET,
  }
  try {
    // Node would take an empty one for none at all: then a certificate of every CA of this machine would do.
    if (!authorities.includes('-----BEGIN CERTIFICATE-----')) {
      throw new Error('there is none in the certificate authorities')
    }
    createSecureContext(options)
    return options
  } catch (cause) {
    const message = `cannot use the certificates of ${what}: ${messageOf(cause)}`
    throw new VplaneError('FAILED', message, { cause })
  }
}
