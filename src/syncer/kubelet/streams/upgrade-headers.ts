import type { IncomingMessage } from 'node:http'
import type { KubeletAnswer } from '../requests/kubelet-answer.ts'

const PROTOCOLS = /^(spdy\/3\.1|websocket)$/i

/** Headers about the change of protocol; all others only concern kube-apiserver and the kubelet. */
const FORWARDED_HEADERS = [
  'x-stream-protocol-version',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
]

/** A token as a subprotocol for kube-apiserver; the host must authenticate the syncer by its own token. */
const TOKEN_PROTOCOL = /^base64url\.bearer\.authorization\.k8s\.io\./i

/** The headers of a change of protocol that are forwarded to the host, or why it is refused. */
export function upgradeHeaders(
  request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
): { forwarded: Record<string, string[]> } | KubeletAnswer {
  const { headers, headersDistinct } = request
  const { upgrade = '' } = headers
  if (!PROTOCOLS.test(upgrade)) {
    return { status: 400, body: 'only SPDY/3.1 and websockets are supported' }
  }
  const length = headers['content-length'] ?? '0'
  if (headers['transfer-encoding'] !== undefined || Number(length) !== 0) {
    return { status: 400, body: 'a request to change the protocol must not have a body' }
  }
  const forwarded = FORWARDED_HEADERS.flatMap((name) => {
    const values = withoutTokens(name, headersDistinct[name] ?? [])
    return values.length === 0 ? [] : [[name, values] as const]
  })
  return { forwarded: { upgrade: [upgrade], ...Object.fromEntries(forwarded) } }
}

function withoutTokens(name: string, values: readonly string[]): string[] {
  if (name !== 'sec-websocket-protocol') {
    return [...values]
  }
  return values
    .map((value) =>
      value
        .split(',')
        .map((protocol) => protocol.trim())
        .filter((protocol) => !TOKEN_PROTOCOL.test(protocol))
        .join(', '),
    )
    .filter((value) => value !== '')
}
