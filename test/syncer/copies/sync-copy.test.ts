import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import type { ObjectCache } from '../../../src/kube/cache/object-cache.ts'
import type { Report } from '../../../src/syncer/events/reporter.ts'
import { withMarks } from '../../../src/syncer/translate/written.ts'
import type { UsedContents } from '../../../src/syncer/copies/used-contents.ts'
import { syncCopy } from '../../../src/syncer/copies/sync-copy.ts'
import { toHostConfigMap } from '../../../src/syncer/translate/kinds/config-map.ts'
import { cacheOf } from '../engine/some-caches.ts'
import { SCOPE, virtualObject } from '../translate/some-objects.ts'

const PATH = '/api/v1/namespaces/team-a/configmaps'
const NAME = 'web-x-shop-x-dev'

const configMap = (data = { a: '1' }, metadata = {}) =>
  virtualObject('ConfigMap', { data }, metadata)

const copyOf = (virtual: KubeObject, metadata = {}): KubeObject => {
  const copy = withMarks(toHostConfigMap(SCOPE, virtual))
  return { ...copy, metadata: { ...copy.metadata, uid: 'h-1', resourceVersion: '7', ...metadata } }
}

interface Situation {
  virtual?: KubeObject
  copy?: KubeObject
  /** @default it holds the copy */
  host?: ObjectCache
  isUsed?: boolean
  settled?: WeakMap<KubeObject, KubeObject>
  contents?: Pick<UsedContents, 'forget' | 'read'>
}

/** Syncs the one ConfigMap there is, and tells what was done on the host. */
async function synced({ copy, virtual, isUsed = true, ...given }: Situation) {
  const done: unknown[] = []
  const options = {
    scope: SCOPE,
    resource: 'configmaps',
    sides: { virtual: await cacheOf(virtual), host: given.host ?? (await cacheOf(copy)) },
    toHost: (one: KubeObject) => toHostConfigMap(SCOPE, one),
    reporter: { report: async (_: KubeObject, { reason }: Report) => void done.push([reason]) },
    isUsed: () => isUsed,
    ...(given.contents && { contents: given.contents }),
    settled: given.settled ?? new WeakMap(),
    unreadable: new WeakMap(),
    host: {
      create: async (path: string, object: KubeObject) => {
        done.push(['create', path, object.metadata.name, object['data']])
        return object
      },
      replace: async (path: string, object: KubeObject) => {
        done.push(['replace', path, object.metadata.resourceVersion, object['data']])
        return object
      },
      delete: async (path: string, { uid }: { uid?: string | undefined } = {}) => {
        done.push(['delete', path, uid])
        return true
      },
    },
  } as const
  await syncCopy(options, 'shop/web', AbortSignal.timeout(5000))
  return done
}

const replaced = (data: object) => ['replace', `${PATH}/${NAME}`, '7', data]
const DELETED = ['delete', `${PATH}/${NAME}`, 'h-1']

test('copies what is used', async () => {
  expect(await synced({ virtual: configMap() })).toEqual([['create', PATH, NAME, { a: '1' }]])
})

test('does nothing about what nobody uses', async () => {
  expect(await synced({ virtual: configMap(), isUsed: false })).toEqual([])
})

test('copies the object in full where only its metadata is watched, and forgets what nobody uses', async () => {
  const { metadata } = configMap()
  const watched = { ...virtualObject('PartialObjectMetadata'), metadata }
  const forgotten: string[] = []
  const contents = {
    read: async () => configMap({ a: '2' }),
    forget: (key: string) => void forgotten.push(key),
  }

  expect(await synced({ virtual: watched, contents })).toEqual([['create', PATH, NAME, { a: '2' }]])
  expect(await synced({ virtual: watched, contents, isUsed: false })).toEqual([])
  expect(forgotten).toEqual(['shop/web'])
})

test('removes the copy of what is gone before the watch says so', async () => {
  const contents = { read: async () => undefined, forget: () => {} }
  const copy = copyOf(configMap())

  expect(await synced({ virtual: configMap(), copy, contents })).toEqual([DELETED])
})

test('brings changes to the copy', async () => {
  const copy = copyOf(configMap())

  const labelled = configMap({ a: '1' }, { labels: { app: 'x' } })
  expect(await synced({ virtual: configMap({ a: '2' }), copy })).toEqual([replaced({ a: '2' })])
  expect(await synced({ virtual: labelled, copy })).toEqual([replaced({ a: '1' })])
  expect(await synced({ virtual: configMap(), copy })).toEqual([])
})

test('writes once what the host says otherwise by itself', async () => {
  const settled = new WeakMap<KubeObject, KubeObject>()
  const host = await cacheOf({ ...copyOf(configMap()), mode: 'Slow' })

  const twice = { virtual: configMap(), host, settled }
  expect(await synced(twice)).toHaveLength(1)
  expect(await synced(twice)).toEqual([])
  expect(await synced({ ...twice, virtual: configMap({ a: '2' }) })).toHaveLength(1)
})

test('puts back what someone changed on the host', async () => {
  const copy = { ...copyOf(configMap()), data: { a: 'other' } }

  expect(await synced({ virtual: configMap(), copy })).toEqual([replaced({ a: '1' })])
})

test('replaces an immutable copy', async () => {
  const copy = { ...copyOf(configMap()), immutable: true }

  expect(await synced({ virtual: configMap({ a: '2' }), copy })).toEqual([DELETED])
})

test.for([
  ['its object is gone', {}],
  ['its object is leaving', { virtual: configMap({ a: '1' }, { deletionTimestamp: 'now' }) }],
  ['nobody uses it', { virtual: configMap(), isUsed: false }],
] as const)('removes the copy when %s', async ([, given]) => {
  expect(await synced({ ...given, copy: copyOf(configMap()) })).toEqual([DELETED])
})

test('touches no object of the host that is not its own', async () => {
  const copy = copyOf(configMap(), { annotations: {}, labels: {} })

  await expect(synced({ virtual: configMap(), copy })).rejects.toThrow(
    'does not belong to this plane',
  )
  expect(await synced({ copy })).toEqual([])
})
