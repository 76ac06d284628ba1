import { expect, test } from 'vitest'
import type { StoredSecrets } from '../../../../src/control-plane/driver/plane-certificates.ts'
import { rewriteSecrets } from '../../../../src/control-plane/use-cases/rotate/rewrite-secrets.ts'
import { MemoryApi } from '../../../support/api/memory-api.ts'
import { RecordingUi } from '../../../support/driver/recording-ui.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const SECRETS = '/api/v1/namespaces/a/secrets'

test('writes Secrets with another key again, and checks again', async () => {
  const { api, rewrite } = world([
    { count: 2, stale: ['a/two', 'a/deleted meanwhile'] },
    { count: 2, stale: ['a/one'] },
    { count: 2, stale: [] },
  ])

  await rewrite()

  expect(api.calls.filter((call) => call.startsWith('patch'))).toEqual([
    `patch ${SECRETS}/two`,
    `patch ${SECRETS}/deleted meanwhile`,
    `patch ${SECRETS}/one`,
  ])
})

const ONE_STALE = { count: 2, stale: ['a/one'] }

test.for([
  ['one stays as it is', [ONE_STALE, ONE_STALE], 'a/one'],
  ['etcd does not show all', [{ count: 1, stale: [] }], 'etcd has 1 Secrets, but the API has 2'],
] as const)('fails when %s', async ([, looks, words]) => {
  const { rewrite } = world(looks)

  const error = await rejectionOf(rewrite())

  expect(error.code).toBe('FAILED')
  expect(error.message).toContain(words)
})

/** An API with two Secrets, and what is in etcd at each look. */
function world(looks: ReadonlyArray<{ count: number; stale: readonly string[] }>) {
  const api = new MemoryApi()
  for (const name of ['one', 'two']) {
    api.put(`${SECRETS}/${name}`, { apiVersion: 'v1', kind: 'Secret', metadata: { name } })
  }
  const list = { items: ['one'], metadata: { remainingItemCount: 1 } }
  api.put('/api/v1/secrets?limit=1', { apiVersion: 'v1', kind: 'SecretList', ...list })
  const left = [...looks]
  const readStored = (): Promise<StoredSecrets> => {
    const { count = 0, stale = [] } = left.shift() ?? {}
    return Promise.resolve({ count, stale: [...stale] })
  }
  const { signal } = new AbortController()
  return { api, rewrite: () => rewriteSecrets(api, { readStored, signal, ui: new RecordingUi() }) }
}
