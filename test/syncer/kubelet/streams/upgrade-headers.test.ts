import { expect, test } from 'vitest'
import { upgradeHeaders } from '../../../../src/syncer/kubelet/streams/upgrade-headers.ts'

test('passes what changes the protocol, and nothing else', () => {
  const headers = headersOf({
    upgrade: ['SPDY/3.1'],
    connection: ['Upgrade'],
    'x-stream-protocol-version': ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
    host: ['10.0.0.1'],
    authorization: ['Bearer stolen'],
    'impersonate-user': ['admin'],
    'x-remote-user': ['admin'],
    'x-forwarded-for': ['10.0.0.2'],
    cookie: ['a=b'],
    'content-length': ['0'],
  })

  expect(upgradeHeaders(headers)).toEqual({
    forwarded: {
      upgrade: ['SPDY/3.1'],
      'x-stream-protocol-version': ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
    },
  })
})

test('passes those of websockets, without tokens among the subprotocols', () => {
  const headers = headersOf({
    upgrade: ['websocket'],
    'sec-websocket-key': ['abc'],
    'sec-websocket-version': ['13'],
    'sec-websocket-protocol': [
      'base64url.bearer.authorization.k8s.io.c3RvbGVu, v4.channel.k8s.io',
      'base64url.bearer.authorization.k8s.io.c3RvbGVu',
    ],
  })

  expect(upgradeHeaders(headers)).toEqual({
    forwarded: {
      upgrade: ['websocket'],
      'sec-websocket-key': ['abc'],
      'sec-websocket-version': ['13'],
      'sec-websocket-protocol': ['v4.channel.k8s.io'],
    },
  })
})

test.for([
  { upgrade: ['h2c'] },
  { upgrade: ['TLS/1.0, SPDY/3.1'] },
  {},
  { upgrade: ['SPDY/3.1'], 'content-length': ['5'] },
  { upgrade: ['SPDY/3.1'], 'transfer-encoding': ['chunked'] },
])('refuses %j', (headers) => {
  expect(upgradeHeaders(headersOf(headers))).toMatchObject({ status: 400 })
})

function headersOf(headersDistinct: Record<string, string[]>) {
  const headers: Record<string, string> = {}
  for (const [name, values] of Object.entries(headersDistinct)) {
    headers[name] = values.join(', ')
  }
  return { headersDistinct, headers }
}
