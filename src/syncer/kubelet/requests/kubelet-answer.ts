import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface KubeletAnswer {
  status: number
  body: string
  /** @default plain text, which kube-apiserver passes to its client unchanged */
  contentType?: string | undefined
  /** The allowed methods, after another one was refused. */
  allow?: readonly string[] | undefined
}

/** The answer to an unknown client. */
export const UNAUTHORIZED: KubeletAnswer = { status: 401, body: 'Unauthorized' }

/** The answer to a known client without permission. */
export function forbidden(client: string): KubeletAnswer {
  return { status: 403, body: `Forbidden (user=${client})` }
}

const REFUSAL_MS = 10_000

/** Answers a request. */
export function sendAnswer(response: ServerResponse, answer: KubeletAnswer): void {
  const { body, status } = answer
  response.writeHead(status, headersOf(answer)).end(body)
}

/** Refuses a request to change the protocol, and closes the connection. */
export function refuseUpgrade(client: Socket, answer: KubeletAnswer): void {
  const { body, status } = answer
  const headers = { ...headersOf(answer), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  client.removeAllListeners('timeout')
  client.setTimeout(REFUSAL_MS, () => client.destroy())
  client.resume()
  client.write([`HTTP/1.1 ${status} Refused`, ...lines, '', body].join('\r\n'))
  client.destroySoon()
}

function headersOf({ allow, body, contentType }: KubeletAnswer): Record<string, string | number> {
  return {
    'content-type': contentType ?? 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    ...(allow !== undefined && { allow: allow.join(', ') }),
  }
}
