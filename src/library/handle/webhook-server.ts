import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { connect } from 'node:tls'
import { issueServingCertificate } from '../../compose/issue-serving-certificate.ts'
import { hasErrorCode, messageOf, VplaneError } from '../../shared/errors.ts'
import { waitFor } from '../../shared/wait.ts'
import type { Webhooks, WebhookServing } from '../types/control-plane.ts'
import type { WebhookOptions } from '../types/start-options.ts'

const LIFETIME_MS = 24 * 60 * 60 * 1000

/** All names of loopback, which the certificate has beside the wanted host. */
const LOOPBACK = ['localhost', '127.0.0.1', '::1']

/** Below the range of ephemeral ports: no outgoing connection takes the port before the server listens. */
const LOWEST_PORT = 20_000
const HIGHEST_PORT = 32_000
const TRIES = 100

/**
 * Its port is one that is free and not reserved, unless the options name one.
 * @throws {VplaneError} `INVALID_SPEC` when the host is neither a name nor an address, `FAILED` when no port is free.
 */
export async function prepareWebhookServing(
  { host = '127.0.0.1', port }: WebhookOptions,
  now: Date,
  reservedPorts: () => Promise<ReadonlySet<number>> = async () => new Set(),
): Promise<WebhookServing> {
  const hosts = [...new Set([host, ...LOOPBACK])]
  const certificate = issueServingCertificate({ hosts, lifetimeMs: LIFETIME_MS, now })
  return { host, port: port ?? (await findFreePort(host, await reservedPorts())), ...certificate }
}

/** Returns a webhook server as tests use it. */
export function webhooksOf(serving: WebhookServing): Webhooks {
  return {
    ...serving,
    waitUntilServed: async ({ signal, timeoutMs = 10_000 } = {}) => {
      await waitFor((either) => isServed(serving, either), {
        what: `a webhook server at ${serving.host}:${serving.port} with its certificate from vplane`,
        timeoutMs,
        intervalMs: 20,
        ...(signal === undefined ? {} : { signal }),
        hints: ['listen there with the certificate and the key in "webhooks" of the control plane'],
      })
    },
  }
}

async function isServed(
  { certificateAuthority, host, port }: WebhookServing,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, ca: certificateAuthority })
    const end = (isServed: boolean) => {
      signal.removeEventListener('abort', giveUp)
      socket.destroy()
      resolve(isServed)
    }
    const giveUp = () => end(false)
    signal.addEventListener('abort', giveUp)
    socket.once('secureConnect', () => end(true))
    socket.once('error', giveUp)
  })
}

async function findFreePort(host: string, reserved: ReadonlySet<number>): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT)
    if (!reserved.has(port) && (await isFree(host, port))) {
      return port
    }
  }
  throw new VplaneError('FAILED', `no free port for webhooks on "${host}"`, {
    hints: ['set a port: webhooks: { port: 9443 }'],
  })
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer().listen({ port, host, exclusive: true })
  try {
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return true
  } catch (error) {
    if (hasErrorCode(error, 'EADDRINUSE')) {
      return false
    }
    throw new VplaneError('FAILED', `cannot listen on "${host}": ${messageOf(error)}`, {
      hints: ['set a host of this machine, or a port if the server runs elsewhere'],
      cause: error,
    })
  }
}
