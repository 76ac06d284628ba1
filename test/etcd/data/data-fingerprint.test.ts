import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { dataFingerprint } from '../../../src/etcd/data/data-fingerprint.ts'
import { ETCD_CLIENT_FILES, type EtcdConnection } from '../../../src/etcd/etcd-connection.ts'
import { ETCD_FILES, etcdGateway } from '../../support/etcd-gateway.ts'

const { signal } = new AbortController()

interface Pair {
  key: string
  value?: string
  lease?: string
}

test('reads page after page, all at the revision of the first', async () => {
  const { requests, sha256 } = await fingerprintOf([
    [{ key: 'a', value: 'x' }],
    [{ key: 'b', value: 'y' }],
  ])

  expect(sha256).toBe(hashOf('a', 'x', 'b', 'y'))
  expect(requests).toEqual([
    ['/v3/kv/range', { key: base64('\0'), range_end: base64('\0'), limit: 200 }],
    ['/v3/kv/range', { key: base64('a\0'), range_end: base64('\0'), limit: 200, revision: '42' }],
  ])
})

test('leaves out keys that end by themselves, and knows empty values', async () => {
  const pairs = [{ key: 'a' }, { key: 'b', value: 'x', lease: '7' }, { key: 'c', value: 'y' }]

  const { keys, sha256 } = await fingerprintOf([pairs])

  expect({ keys, sha256 }).toEqual({ keys: 2, sha256: hashOf('a', '', 'c', 'y') })
})

test('tells where a key ends and its value begins', async () => {
  const one = await fingerprintOf([[{ key: 'ab', value: 'c' }]])
  const other = await fingerprintOf([[{ key: 'a', value: 'bc' }]])

  expect(one.sha256).not.toBe(other.sha256)
})

test('fails when etcd does not report its revision', async () => {
  const { dial } = await etcdGateway(() => [200, {}])

  await expect(dataFingerprint(connectionTo(dial), signal)).rejects.toMatchObject({
    code: 'FAILED',
  })
})

async function fingerprintOf(pages: Pair[][]) {
  const left = [...pages]
  const { dial, requests } = await etcdGateway(() => {
    const kvs = (left.shift() ?? []).map(({ key, value, ...rest }) => ({
      ...rest,
      key: base64(key),
      ...(value === undefined ? {} : { value: base64(value) }),
    }))
    return [200, { header: { revision: '42' }, kvs, ...(left.length > 0 ? { more: true } : {}) }]
  })
  return { ...(await dataFingerprint(connectionTo(dial), signal)), requests }
}

function connectionTo(dial: EtcdConnection['dial']): EtcdConnection {
  return {
    what: 'etcd',
    dial,
    certificateAuthority: ETCD_FILES[ETCD_CLIENT_FILES.certificateAuthority] ?? '',
    certificate: ETCD_FILES[ETCD_CLIENT_FILES.certificate] ?? '',
    key: ETCD_FILES[ETCD_CLIENT_FILES.key] ?? '',
  }
}

function hashOf(...texts: string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) {
    hash.update(Buffer.from([0, 0, 0, text.length])).update(text)
  }
  return hash.digest('hex')
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
