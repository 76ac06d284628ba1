import type { Agent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP } from 'node:net'
import type { SecureContext } from 'node:tls'
import { checkServerIdentity, createSecureContext } from 'node:tls'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { HttpAgent } from '../../shared/network/node-http.ts'
import type { Credential, KubeConnection, Patience } from '../connection.ts'
import { proxied } from '../proxy/proxied.ts'
import { systemAuthorities } from '../system-authorities.ts'

/** Makes the connections of one TLS identity. */
export interface Agents {
  /** Keeps connections for the next request. */
  readonly kept: Agent
  /** Makes a new connection each time. */
  readonly fresh: Agent
}

export interface AgentOptions {
  connection: KubeConnection
  patience: Patience
  /** Ends connections that are still on their way through a proxy. */
  closed: AbortSignal
}

/** Agents for a credential. Certificates and keys are parsed here, once, and not again for every connection. */
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
  return { kept: create(true), fresh: create(false) }
}

function tlsOptions(connection: KubeConnection, credential: Credential) {
  const { isInsecure = false, serverName } = connection
  return {
    secureContext: secureContextOf(connection, credential),
    // Said, because NODE_TLS_REJECT_UNAUTHORIZED=0 in somebody's environment would switch it off.
    rejectUnauthorized: !isInsecure,
    ...(serverName !== undefined && {
      // An address cannot be asked for by name, but certificates are made for addresses too.
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
    // Node would take it for an empty list, or for none at all: then every CA of this machine would do.
    if (authority !== undefined && !authority.includes('-----BEGIN')) {
      throw new Error('there is none in the certificate authority')
    }
    return createSecureContext({
      // Nobody is checked when everybody is trusted.
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
