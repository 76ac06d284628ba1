import type { Agent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP } from 'node:net'
import { checkServerIdentity, createSecureContext, type SecureContext } from 'node:tls'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { HttpAgent } from '../../shared/network/node-http.ts'
import type { Credential, KubeConnection, Patience } from '../connection.ts'
import { proxied } from '../proxy/proxied.ts'
import { systemAuthorities } from '../../shared/network/tls/system-authorities.ts'

/** Agents for the connections of one TLS identity. */
export interface Agents {
  /** Reuses connections. */
  readonly keepAlive: Agent
  /** Opens a new connection for each request. */
  readonly fresh: Agent
}

export interface AgentOptions {
  connection: KubeConnection
  patience: Patience
  /** Ends connections that are still being opened through a proxy. */
  closed: AbortSignal
}

/** Creates agents for a credential. Parses certificates and keys once, not for every connection. */
export function createAgents(
  credential: Credential,
  { closed, connection, patience }: AgentOptions,
): Agents {
  const isPlain = connection.server.startsWith('http:')
  const tls = isPlain ? {} : tlsOptions(connection, credential)
  const create = (keepAlive: boolean) => {
    const options = { ...tls, keepAlive, ...(keepAlive && { timeout: patience.idleMs }) }
    const agent = isPlain ? new HttpAgent(options) : new HttpsAgent(options)
    const { proxy } = connection
    return proxy === undefined
      ? agent
      : proxied(agent, { proxy, trusted: authoritiesOf(connection, credential), patience, closed })
  }
  return { keepAlive: create(true), fresh: create(false) }
}

function tlsOptions(connection: KubeConnection, credential: Credential) {
  const { isInsecure = false, serverName } = connection
  return {
    secureContext: secureContextOf(connection, credential),
    // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 would disable verification.
    rejectUnauthorized: !isInsecure,
    ...(serverName !== undefined && {
      // SNI has no IP addresses, but certificates may be valid for them.
      servername: isIP(serverName) === 0 ? serverName : '',
      checkServerIdentity: (_: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
        checkServerIdentity(serverName, certificate),
    }),
  }
}

function secureContextOf(connection: KubeConnection, credential: Credential): SecureContext {
  const { certificate, key } = credential
  const authority = authoritiesOf(connection, credential)
  try {
    // Node.js would ignore such a text, and trust every CA of this machine.
    if (authority !== undefined && !authority.includes('-----BEGIN')) {
      throw new Error('there is none in the certificate authority')
    }
    return createSecureContext({
      // An insecure connection verifies no certificate.
      ...(connection.isInsecure !== true && { ca: authority ?? systemAuthorities() }),
      ...(certificate !== undefined && { cert: certificate }),
      ...(key !== undefined && { key }),
    })
  } catch (cause) {
    const message = `cannot use the certificates for ${connection.server}: ${messageOf(cause)}`
    throw new VplaneError('FAILED', message, { cause })
  }
}

function authoritiesOf(connection: KubeConnection, credential: Credential): string | undefined {
  return credential.certificateAuthority ?? connection.certificateAuthority
}
