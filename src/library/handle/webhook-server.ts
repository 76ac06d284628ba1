import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { connect } from 'node:tls'
import { issueServingCertificate } from '../../compose/issue-serving-certificate.ts'
import type { WebhookTarget } from '../../control-plane/install/rewrite-webhooks.ts'
import { hasErrorCode, messageOf, VplaneError } from '../../shared/errors.ts'
import { waitFor } from '../../shared/wait.ts'
import type { Webhooks, WebhookServing } from '../types/control-plane.ts'
import type { WebhookOptions } from '../types/start-options.ts'

const LIFETIME_MS = 24 * 60 * 60 * 1000

/** Loopback by all of its names, beside the host that was asked for. */
const LOOPBACK = ['localhost', '127.0.0.1', '::1']

/** Below the range from which the kernel gives ports to outgoing connections: nobody takes it by chance until the server listens. */
const LOWEST_PORT = 20_000
const HIGHEST_PORT = 32_000
const TRIES = 100

/**
 * Chooses a place for a webhook server and makes its certificate.
 *
 * @throws {VplaneError} `INVALID_SPEC` when the host is neither a name nor an address, `FAILED` when no port can be
 * had there.
 */
export async function prepareWebhookServing(
  { host = '127.0.0.1', port }: WebhookOptions,
  now: Date,
): Promise<WebhookServing> {
  const hosts = [...new Set([host, ...LOOPBACK])]
  const certificate = issueServingCertificate({ hosts, lifetimeMs: LIFETIME_MS, now })
  return { host, port: port ?? (await findFreePort(host)), ...certificate }
}

/** Where the API server is to find the webhooks. */
export function targetOf({ certificateAuthority, host, port }: WebhookServing): WebhookTarget {
  return { certificateAuthority, host, port }
}

/** A webhook server as tests see it. */
export function webhooksOf(serving: WebhookServing): Webhooks {
  return {
    ...serving,
    waitUntilServed: async ({ signal, timeoutMs = 10_000 } = {}) => {
      await waitFor((either) => isServed(serving, either), {
        what: `a webhook server at ${serving.host}:${serving.port} with the certificate made for it`,
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

async function findFreePort(host: string): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT)
    if (await isFree(host, port)) {
      return port
    }
  }
  throw new VplaneError('FAILED', `no free port for webhooks on "${host}"`, {
    hints: ['say a port: webhooks: { port: 9443 }'],
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
      hints: ['say a host of this machine, or a port if the server runs elsewhere'],
      cause: error,
    })
  }
}
