import { expect, test } from 'vitest'
import {
  encryptionConfiguration,
  encryptionKey,
} from '../../../src/control-plane/components/encryption-configuration.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { readSecrets } from '../../../src/etcd/data/read-secrets.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { gatewayThatAnswers } from '../gateway-that-answers.ts'

const { signal } = new AbortController()
const KEYS = [
  encryptionKey(Buffer.alloc(32, 2), { number: 2 }),
  encryptionKey(Buffer.alloc(32, 1), { number: 1 }),
]

test('counts all Secrets, page by page, and names those of another key', async () => {
  const { gateway, requests } = await gatewayThatAnswers(
    200,
    {
      kvs: [
        pair('a/one', 'k8s:enc:secretbox:v1:key-2:x'),
        pair('a/two', 'k8s:enc:secretbox:v1:key-1:x'),
        pair('a/three', 'k8s:enc:secretbox:v1:key-21:x'),
      ],
      more: true,
    },
    { kvs: [pair('b/four', 'k8s\0 as it is')] },
  )

  const stored = await readSecrets(gateway, optionsWith())

  expect(stored).toEqual({ count: 4, stale: ['a/two', 'a/three', 'b/four'] })
  expect(requests.map(rangeOf)).toEqual([
    ['/registry/secrets/', '/registry/secrets0'],
    ['/registry/secrets/a/three\0', '/registry/secrets0'],
  ])
})

test('looks where kube-apiserver stores', async () => {
  const { gateway, requests } = await gatewayThatAnswers(200, {})

  const stored = await readSecrets(gateway, optionsWith({ etcd: { prefix: '/other/root' } }))

  expect(stored).toEqual({ count: 0, stale: [] })
  expect(requests.map(rangeOf)[0]?.[0]).toBe('/other/root/secrets/')
})

test('looks nowhere without a key', async () => {
  const { gateway, requests } = await gatewayThatAnswers(200, {})

  const error = await rejectionOf(readSecrets(gateway, { ...optionsWith(), configuration: '' }))

  expect(error.code).toBe('FAILED')
  expect(requests).toEqual([])
})

function optionsWith(user: UserSpec = {}) {
  return { configuration: encryptionConfiguration(KEYS), spec: resolveSpec(user), signal }
}

function pair(name: string, value: string) {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  return { key: base64(`/registry/secrets/${name}`), value: base64(value) }
}

function rangeOf(request: unknown): string[] {
  const [, body] = Array.isArray(request) ? request : []
  return [body.key, body.range_end].map((text) => Buffer.from(text, 'base64').toString())
}
