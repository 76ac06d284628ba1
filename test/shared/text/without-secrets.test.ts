import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { withoutSecrets } from '../../../src/shared/text/without-secrets.ts'

const PEM = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()
const TOKEN = ['{"alg":"RS256"}', '{"sub":"me-and-others"}', 'a signature']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.')

test.for([
  ['a key', `before ${PEM} after`, 'before (left out)\n after'],
  ['a key in JSON', JSON.stringify({ key: PEM }), '{"key":"(left out)\\n"}'],
  ['a key in base64', `key: ${btoa(PEM)} # mine`, 'key: (left out) # mine'],
  ['a key that is cut off', `I ${PEM.slice(0, 90)}`, 'I (left out)'],
  ['a token', `token ${TOKEN}, sent`, 'token (left out), sent'],
  ['what a request proves itself with', 'Bearer 0123456789abcdef"', 'Bearer (left out)"'],
  ['a password', 'http://me:hunter2@proxy:80/', 'http://me:(left out)@proxy:80/'],
] as const)('leaves out %s', ([, text, expected]) => {
  expect(withoutSecrets(text)).toBe(expected)
})

test.for([
  'the bearer of good news',
  'https://10.0.0.1:6443/livez and me@example',
  'namespace "dev" -----BEGIN',
  'image@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
])('leaves %j as it is', (text) => {
  expect(withoutSecrets(text)).toBe(text)
})
