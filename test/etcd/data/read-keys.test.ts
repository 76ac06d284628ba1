import { expect, test } from 'vitest'
import { readAtOneRevision } from '../../../src/etcd/data/read-keys.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { fakeStore } from '../fake-store.ts'

const { signal } = new AbortController()

const MANY = Array.from(
  { length: 250 },
  (_, index) => `/registry/x/${String(index).padStart(3, '0')}`,
)

test('reads all pages at one revision, without the keys that belong to the store', async () => {
  const own = ['', '/registry/health', 'compact_rev_key', 'compact_rev_key_apiserver']
  const store = await fakeStore({ keys: [...MANY, ...own, 'z'] })

  const names = await namesIn(store)

  expect(names).toEqual([...MANY, 'z'])
  expect(store.pages).toBeGreaterThan(3)
  expect(new Set(store.revisions.slice(1))).toEqual(new Set([100]))
})

test('reads large values that follow many small ones in smaller pages', async () => {
  const large = MANY.slice(0, 40).map((name) => name.replace('/x/', '/y/'))
  const valueBytes = (key: string) => (large.includes(key) ? 1024 ** 2 : 10)
  const store = await fakeStore({ keys: [...MANY, ...large], valueBytes })

  expect(await namesIn(store)).toEqual([...MANY, ...large])
  // The second page of keys would have 40 MiB.
  expect(store.limits.slice(1, 5)).toEqual([100, 201, 25, 51])
})

test('leaves out no key after the last one of a page of kine', async () => {
  // Pages end with the first of each three, too.
  const keys = MANY.flatMap((name) => [name, `${name} !`, `${name}!`])
  const store = await fakeStore({ keys, isKine: true, substitute: '#' })

  const names = await namesIn(store)

  expect(names).toEqual(keys)
})

test('takes for empty what kine finds to be empty while it has forgotten its latest revision', async () => {
  const ofKine = await fakeStore({ keys: MANY, isKine: true, remembered: 99 })
  const ofEtcd = await fakeStore({ keys: MANY, remembered: 99 })

  expect(await namesIn(ofKine)).toEqual(MANY)
  expect(await rejectionOf(namesIn(ofEtcd))).toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('future revision'),
  })
})

test('asks for nothing but the keys below the prefix of its user', async () => {
  const store = await fakeStore({ keys: [...MANY, '/registry/xx/a', '/registry/x', '/a'] })
  const connection = { ...store.connection, prefix: '/registry/x' }

  expect(await namesIn({ connection })).toEqual(MANY)
})

test.for([1, 4])(
  'begins again with a later revision when it is compacted %d times',
  async (times) => {
    const store = await fakeStore({ keys: MANY, compactions: times })

    const names = await namesIn(store)

    expect(names).toEqual(MANY)
    expect(store.revisions.at(-1)).toBe(100 + times)
  },
)

test('gives up when it is compacted every time', async () => {
  const store = await fakeStore({ keys: MANY, compactions: 1000 })

  const error = await rejectionOf(namesIn(store))

  expect(error).toMatchObject({ code: 'FAILED', hints: [expect.any(String)] })
  expect(error.message).toContain('compacts its revisions faster than they can be read')
})

test('asks etcd once for the rest of the life of a lease', async () => {
  const lease = 7_587_890_123_456_789_012n
  const leases = { '/registry/x/000': lease, '/registry/x/001': lease }
  const store = await fakeStore({ keys: MANY.slice(0, 3), leases, life: 1234 })

  const lives = await livesIn(store)

  expect(lives).toEqual([1234, 1234, undefined])
  expect(store.leases).toEqual([lease])
})

test('takes an expired lease for one that ends soon', async () => {
  const leases = { '/registry/x/000': 8n }
  const store = await fakeStore({ keys: MANY.slice(0, 1), leases, life: 2n ** 64n - 1n })

  expect(await livesIn(store)).toEqual([1])
})

test('takes the life that kine was asked for, which has no leases', async () => {
  const leases = { '/registry/x/000': 3600n }
  const store = await fakeStore({ keys: MANY.slice(0, 1), leases, isKine: true })

  expect(await livesIn(store)).toEqual([3600])
  expect(store.leases).toEqual([])
})

function namesIn({
  connection,
}: Pick<Awaited<ReturnType<typeof fakeStore>>, 'connection'>): Promise<string[]> {
  return readAtOneRevision(connection, signal, async (_, keys) =>
    (await Array.fromAsync(keys)).map(({ key }) => String(key)),
  )
}

function livesIn({ connection }: Awaited<ReturnType<typeof fakeStore>>) {
  return readAtOneRevision(connection, signal, async (_, keys) =>
    (await Array.fromAsync(keys)).map(({ ttlSeconds }) => ttlSeconds),
  )
}
