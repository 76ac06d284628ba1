import type { IncomingMessage } from 'node:http'
import type { KubeletAnswer } from '../requests/kubelet-answer.ts'

const PROTOCOLS = /^(spdy\/3\.1|websocket)$/i

/** Headers that say how the protocol is to be changed; all others are between kube-apiserver and a kubelet. */
const PASSED = [
  'x-stream-protocol-version',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
]

/** kube-apiservers take a subprotocol like this for a token; the host is to know us by our own. */
const TOKEN_PROTOCOL = /^base64url\.bearer\.authorization\.k8s\.io\./i

/** The headers of a change of protocol that go on to the host, or why there is none. */
export function upgradeHeaders({
  headers,
  headersDistinct,
}: Pick<IncomingMessage, 'headers' | 'headersDistinct'>):
  | { passed: Record<string, string[]> }
  | KubeletAnswer {
  const { upgrade = '' } = headers
  if (!PROTOCOLS.test(upgrade)) {
    return { status: 400, body: 'this changes to SPDY/3.1 and to websockets alone' }
  }
  const length = headers['content-length'] ?? '0'
  if (headers['transfer-encoding'] !== undefined || Number(length) !== 0) {
    return { status: 400, body: 'a request to change the protocol has no body' }
  }
  const passed = PASSED.flatMap((name) => {
    const values = withoutTokens(name, headersDistinct[name] ?? [])
    return values.length === 0 ? [] : [[name, values] as const]
  })
  return { passed: { upgrade: [upgrade], ...Object.fromEntries(passed) } }
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
