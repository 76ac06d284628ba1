import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { byClassResource, type ClassSides } from '../../../src/syncer/classes/class-kinds.ts'
import { ensureClasses } from '../../../src/syncer/classes/ensure-classes.ts'
import { wantedClasses } from '../../../src/syncer/classes/offered-classes.ts'
import { ObjectCache } from '../../../src/syncer/engine/object-cache.ts'
import type { Rules } from '../../../src/syncer/scope/settings.ts'
import { MemoryHostApi, refusal } from '../../support/api/memory-host-api.ts'
import { collectionPath } from '../../../src/shared/kube/collections.ts'

const STORAGE = '/apis/storage.k8s.io/v1/storageclasses'
const DEFAULT = `${STORAGE}/default`
const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class'

test('makes the classes that are named', async () => {
  await using kept = keeping({
    storageClasses: ['fast'],
    ingressClasses: ['nginx'],
    runtimeClasses: ['kata.v2'],
  })

  await kept.until(() => kept.plane.objects.size === 4)
  expect([...kept.plane.objects.keys()].toSorted()).toEqual([
    '/apis/networking.k8s.io/v1/ingressclasses/nginx',
    '/apis/node.k8s.io/v1/runtimeclasses/kata.v2',
    DEFAULT,
    `${STORAGE}/fast`,
  ])
})

test('leaves a class without annotations as the API returns it', async () => {
  const plane = new MemoryHostApi()
  plane.put('/apis/node.k8s.io/v1/runtimeclasses/kata', {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'kata', labels: { 'vplane.dev/virtual': 'true' } },
    handler: 'kata',
  })

  await using kept = keeping({ runtimeClasses: ['kata'], ingressClasses: ['nginx'] }, plane)
  await kept.until(() => plane.objects.size === 3)
  plane.put('/apis/node.k8s.io/v1/runtimeclasses/last', {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'last', labels: { 'vplane.dev/virtual': 'true' } },
  })
  await kept.until(() => plane.objects.size === 3)

  expect(plane.writes.filter((request) => request.startsWith('replace '))).toEqual([])
})

test('makes a class again, and as it was, whatever users do to it', async () => {
  await using kept = keeping()
  const { plane, until } = kept
  await until(() => plane.objects.has(DEFAULT))

  plane.remove(DEFAULT)
  await until(() => plane.objects.has(DEFAULT))
  plane.put(DEFAULT, { ...ours(plane), allowVolumeExpansion: false })

  await until(() => plane.objects.get(DEFAULT)?.['allowVolumeExpansion'] === true)
})

test('keeps what users say besides', async () => {
  const { plane, until, ...kept } = keeping()
  await using _ = kept
  await until(() => plane.objects.has(DEFAULT))
  const { metadata } = ours(plane)

  const annotations = { note: 'x', [IS_DEFAULT]: 'false' }
  plane.put(DEFAULT, { ...ours(plane), metadata: { ...metadata, annotations } })

  await until(() => ours(plane).metadata.annotations?.[IS_DEFAULT] === 'true')
  expect(ours(plane).metadata.annotations).toMatchObject({ note: 'x' })
})

test('makes a class anew that cannot be changed', async () => {
  await using kept = keeping(
    {},
    new MemoryHostApi({
      onRequest: ({ path, verb }) => {
        if (verb === 'replace' && path === DEFAULT) {
          throw refusal(422, 'updates to provisioner are forbidden')
        }
      },
    }),
  )
  const { plane, until } = kept
  await until(() => plane.objects.has(DEFAULT))

  plane.put(DEFAULT, { ...ours(plane), provisioner: 'earlier' })

  await until(() => plane.objects.get(DEFAULT)?.['provisioner'] === 'vplane.dev/host')
})

test('removes what is no longer named, and leaves what users made', async () => {
  const plane = new MemoryHostApi()
  const labels = { 'vplane.dev/virtual': 'true' }
  for (const metadata of [{ name: 'old', labels }, { name: 'mine' }, { name: 'default' }]) {
    plane.put(`${STORAGE}/${metadata.name}`, storageClass(metadata))
  }

  await using kept = keeping({}, plane)

  await kept.until(() => !plane.objects.has(`${STORAGE}/old`))
  expect(plane.objects.get(DEFAULT)).toMatchObject({ provisioner: 'acme.io/disks' })
  expect(plane.objects.has(`${STORAGE}/mine`)).toBe(true)
})

test('follows the classes of the host', async () => {
  const host = new MemoryHostApi()
  const fast = `${STORAGE}/fast`
  host.put(fast, storageClass({ name: 'fast' }))
  await using kept = keeping({ classes: true }, new MemoryHostApi(), host)
  const { plane, until } = kept
  await until(() => plane.objects.has(fast))

  const annotations = { [IS_DEFAULT]: 'true' }
  host.put(fast, storageClass({ name: 'fast', annotations }))
  await until(() => plane.objects.get(fast)?.metadata.annotations?.[IS_DEFAULT] === 'true')
  host.remove(fast)

  await until(() => plane.objects.size === 0)
})

/** Keeps the classes of a plane until it is disposed; with a host, those of the host. */
function keeping(rules: Rules = {}, plane = new MemoryHostApi(), host?: MemoryHostApi) {
  const stop = new AbortController()
  const { signal } = stop
  const classes = byClassResource((resource): ClassSides => ({
    virtual: new ObjectCache(plane, collectionPath(resource)),
    ...(host === undefined ? {} : { host: new ObjectCache(host, collectionPath(resource)) }),
  }))
  const caches = Object.values(classes).flatMap((sides) => Object.values<ObjectCache>({ ...sides }))
  const onError = () => {}
  const wanted = () => wantedClasses(rules, classes)
  const running = [
    ...caches.map((cache) => cache.run(signal).catch(() => {})),
    ensureClasses({ plane, classes, wanted, onError }, signal),
  ]
  return {
    plane,
    until: (condition: () => boolean) =>
      waitFor(async () => condition(), { what: 'it', timeoutMs: 5000 }),
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await Promise.all(running)
    },
  }
}

function ours(plane: MemoryHostApi): KubeObject {
  return plane.objects.get(DEFAULT) ?? storageClass({ name: 'default' })
}

function storageClass(metadata: KubeObject['metadata']): KubeObject {
  const provisioner = 'acme.io/disks'
  return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata, provisioner }
}
