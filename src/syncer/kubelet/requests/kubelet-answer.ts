import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A short answer of a kubelet. */
export interface KubeletAnswer {
  status: number
  body: string
  /** @default plain text: kube-apiserver shows what a kubelet says as it is */
  contentType?: string | undefined
  /** Methods that would have been allowed. */
  allow?: readonly string[] | undefined
}

/** The answer to somebody of whom nobody knows who it is. */
export const UNAUTHORIZED: KubeletAnswer = { status: 401, body: 'Unauthorized' }

/** The answer to somebody who may not do this. */
export function forbidden(client: string): KubeletAnswer {
  return { status: 403, body: `Forbidden (user=${client})` }
}

/** How long a client may take to read that it is refused. */
const REFUSAL_MS = 10_000

/** Answers a request. */
export function sendAnswer(response: ServerResponse, answer: KubeletAnswer): void {
  const { body, status } = answer
  response.writeHead(status, headersOf(answer)).end(body)
}

/** Answers a request to change the protocol that is not granted, and ends the connection. */
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
