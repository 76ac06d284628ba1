import { expect, test } from 'vitest'
import type { KubeObject, WatchEvent } from '../../../src/shared/kube/kube-object.ts'
import { type CacheOptions, ObjectCache } from '../../../src/kube/cache/object-cache.ts'

const pod = (name: string, labels = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels, managedFields: [{ manager: 'kubectl' }] },
})

interface Told extends CacheOptions {
  listed?: number
  end?: () => void
}

/** A collection that tells these events, the first `listed` of them as its list. */
function cacheOf(events: WatchEvent[], { end = () => {}, listed = 0, ...options }: Told = {}) {
  const paths: string[] = []
  const cache = new ObjectCache(
    {
      async *watch(path, { keep = (object) => object, onListed }) {
        paths.push(path)
        for (const [index, event] of events.entries()) {
          if (index === listed) {
            onListed?.()
          }
          const object = keep(event.object)
          yield object === undefined ? { ...event, type: 'DELETED' } : { ...event, object }
        }
        end()
      },
    },
    '/api/v1/pods',
    options,
  )
  return { cache, paths }
}

test('has what was told last of every object that is there', async () => {
  const { cache, paths } = cacheOf([
    { type: 'ADDED', object: pod('a') },
    { type: 'ADDED', object: pod('b') },
    { type: 'MODIFIED', object: pod('a', { app: 'x' }) },
    { type: 'DELETED', object: pod('b') },
  ])

  await expect(cache.run(AbortSignal.timeout(5000))).rejects.toThrow('has ended')

  expect(paths).toEqual(['/api/v1/pods'])
  expect(cache.size).toBe(1)
  const kept = { name: 'a', namespace: 'default', labels: { app: 'x' } }
  expect(cache.get('default/a')?.metadata).toEqual(kept)
  expect(cache.get('default/b')).toBeUndefined()
})

test('tells of every change, and what was deleted as it was last', async () => {
  const { cache } = cacheOf([
    { type: 'ADDED', object: pod('a') },
    { type: 'DELETED', object: pod('a', { app: 'x' }) },
  ])
  const told: unknown[] = []
  cache.onChange(({ metadata }) => told.push([metadata.labels, cache.size]))

  await cache.run(AbortSignal.timeout(5000)).catch(() => {})

  expect(told).toEqual([
    [{}, 1],
    [{ app: 'x' }, 0],
  ])
})

test('keeps no more of an object than is wanted, and nothing of what is not', async () => {
  const events: WatchEvent[] = [
    { type: 'ADDED', object: pod('a', { app: 'x' }) },
    { type: 'ADDED', object: pod('b', { app: 'x' }) },
    { type: 'MODIFIED', object: pod('b') },
  ]
  const { cache } = cacheOf(events, {
    keep: ({ metadata: { labels = {}, name = '', namespace = '' }, ...rest }) =>
      'app' in labels ? { ...rest, metadata: { name, namespace } } : undefined,
  })

  await cache.run(AbortSignal.timeout(5000)).catch(() => {})

  expect([...cache.values()]).toEqual([
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'default' } },
  ])
})

test('is listed once all that was there has come', async () => {
  const events = ['a', 'b'].map((name) => ({ type: 'ADDED' as const, object: pod(name) }))
  const { cache } = cacheOf(events, { listed: 1 })

  await cache.run(AbortSignal.timeout(5000)).catch(() => {})
  await cache.listed

  expect(cache.get('default/a')).toBeDefined()
})

test('is never listed when it may not be read', async () => {
  const { cache } = cacheOf([{ type: 'ADDED', object: pod('a') }], {
    listed: 5,
    end: () => {
      throw new Error('forbidden')
    },
  })

  await expect(cache.run(AbortSignal.timeout(5000))).rejects.toThrow('forbidden')

  await expect(cache.listed).rejects.toThrow('forbidden')
})

const failFor = (name: string) => (object: KubeObject) => {
  if (object.metadata.name === name) {
    throw new Error(`cannot take ${name}`)
  }
}

test('reports for which object a listener fails, and tells the others', async () => {
  const events = ['a', 'b'].map((name) => ({ type: 'ADDED' as const, object: pod(name) }))
  const errors: unknown[] = []
  const { cache } = cacheOf(events, {
    onListenerError: ({ metadata }, error) => errors.push([metadata.name, error]),
  })
  const told: unknown[] = []
  cache.onChange(failFor('a'))
  cache.onChange(({ metadata }) => told.push(metadata.name))

  await expect(cache.run(AbortSignal.timeout(5000))).rejects.toThrow('has ended')
  cache.forEach(failFor('b'))

  expect(errors).toEqual([
    ['a', new Error('cannot take a')],
    ['b', new Error('cannot take b')],
  ])
  expect(told).toEqual(['a', 'b'])
})

test('ends with an error of a listener that would be lost', async () => {
  const { cache } = cacheOf([{ type: 'ADDED', object: pod('a') }])
  cache.onChange(failFor('a'))

  await expect(cache.run(AbortSignal.timeout(5000))).rejects.toThrow('cannot take a')
})
