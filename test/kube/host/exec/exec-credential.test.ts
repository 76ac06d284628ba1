import { expect, test } from 'vitest'
import {
  formatExecInfo,
  parseExecCredential,
} from '../../../../src/kube/host/exec/exec-credential.ts'

const V1 = 'client.authentication.k8s.io/v1'

test('tells a plugin what its API has for it', () => {
  const spec = { interactive: false, cluster: { server: 'https://a', config: { audience: 'b' } } }

  expect(JSON.parse(formatExecInfo(V1, spec))).toEqual({
    kind: 'ExecCredential',
    apiVersion: V1,
    spec,
  })
})

test('reads a token for ever, and a certificate until it expires', () => {
  const certificate = { clientCertificateData: 'cert', clientKeyData: 'key' }
  const expirationTimestamp = '2026-01-02T03:04:05Z'

  expect(parseExecCredential(printed({ token: 'abc' }), V1)).toEqual({
    credential: { authorization: 'Bearer abc' },
    expiresAt: Infinity,
  })
  expect(parseExecCredential(printed({ ...certificate, expirationTimestamp }), V1)).toEqual({
    credential: { certificate: 'cert', key: 'key' },
    expiresAt: Date.parse(expirationTimestamp),
  })
})

test.for([
  ['{"token": "hunter2"', 'did not print JSON'],
  ['', 'did not print JSON'],
  ['{"token": "hunter2"}', `did not print an ExecCredential of ${V1}`],
  [printed({ token: 'hunter2' }, `${V1}beta1`), `did not print an ExecCredential of ${V1}`],
  [printed(undefined), 'printed neither a token nor a certificate'],
  [printed({ token: '' }), 'printed neither a token nor a certificate'],
  [printed({ clientKeyData: 'hunter2' }), 'printed a certificate or a key, not both'],
  [
    printed({ token: 'hunter2', expirationTimestamp: 'tomorrow' }),
    'printed an expirationTimestamp that is not a time',
  ],
] as const)('refuses %s', ([text, message]) => {
  expect(() => parseExecCredential(text, V1)).toThrow(new Error(message))
})

function printed(status: unknown, apiVersion = V1): string {
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, status })
}
