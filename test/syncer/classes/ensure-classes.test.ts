import { expect, test } from 'vitest'
import { collectionPath } from '../../../src/shared/kube/collections.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { byClassResource, type ClassSides } from '../../../src/syncer/classes/class-kinds.ts'
import { ensureClasses } from '../../../src/syncer/classes/ensure-classes.ts'
import { wantedClasses } from '../../../src/syncer/classes/offered-classes.ts'
import { ObjectCache } from '../../../src/kube/cache/object-cache.ts'
import type { Rules } from '../../../src/syncer/scope/settings.ts'
import { MemoryHostApi, type MemoryRequest, refusal } from '../../support/api/memory-host-api.ts'
import { inBackground } from '../../support/in-background.ts'
import { soon } from '../../support/soon.ts'
import { follow } from '../engine/some-caches.ts'

const STORAGE = '/apis/storage.k8s.io/v1/storageclasses'
const RUNTIME = '/apis/node.k8s.io/v1/runtimeclasses'
const OURS = { 'vplane.dev/virtual': 'true' }
const DEFAULT = `${STORAGE}/default`
const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class'

test('makes the classes that are named', async () => {
  const host = { ingressClasses: ['nginx'], runtimeClasses: ['kata.v2'] }
  const { plane, until } = keeping({ storageClasses: ['fast'], ...host })

  await until(() => plane.objects.size === 4)
  expect([...plane.objects.keys()].toSorted()).toEqual([
    '/apis/networking.k8s.io/v1/ingressclasses/nginx',
    `${RUNTIME}/kata.v2`,
    DEFAULT,
    `${STORAGE}/fast`,
  ])
})

test('leaves a class without annotations as the API returns it', async () => {
  const plane = new MemoryHostApi()
  const runtimeClass = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', handler: 'kata' }
  const putNamed = (name: string) =>
    plane.put(`${RUNTIME}/${name}`, { ...runtimeClass, metadata: { name, labels: OURS } })
  putNamed('kata')

  const { until } = keeping({ runtimeClasses: ['kata'], ingressClasses: ['nginx'] }, plane)
  await until(() => plane.objects.size === 3)
  putNamed('last')
  await until(() => plane.objects.size === 3)

  expect(plane.writes.filter((request) => request.startsWith('replace '))).toEqual([])
})

test('makes a class again, and as it was, whatever users do to it', async () => {
  const { plane, until } = keeping()
  await until(() => plane.objects.has(DEFAULT))

  plane.remove(DEFAULT)
  await until(() => plane.objects.has(DEFAULT))
  plane.put(DEFAULT, { ...ours(plane), allowVolumeExpansion: false })

  await until(() => plane.objects.get(DEFAULT)?.['allowVolumeExpansion'] === true)
})

test('keeps what users say besides', async () => {
  const { plane, until } = keeping()
  await until(() => plane.objects.has(DEFAULT))
  const { metadata } = ours(plane)

  const annotations = { note: 'x', [IS_DEFAULT]: 'false' }
  plane.put(DEFAULT, { ...ours(plane), metadata: { ...metadata, annotations } })

  await until(() => ours(plane).metadata.annotations?.[IS_DEFAULT] === 'true')
  expect(ours(plane).metadata.annotations).toMatchObject({ note: 'x' })
})

test('replaces a class that cannot be changed', async () => {
  const onRequest = ({ path, verb }: MemoryRequest) => {
    if (verb === 'replace' && path === DEFAULT) {
      throw refusal(422, 'updates to provisioner are forbidden')
    }
  }
  const { plane, until } = keeping({}, new MemoryHostApi({ onRequest }))
  await until(() => plane.objects.has(DEFAULT))

  plane.put(DEFAULT, { ...ours(plane), provisioner: 'earlier' })

  await until(() => plane.objects.get(DEFAULT)?.['provisioner'] === 'vplane.dev/host')
})

test('removes what is no longer named, and leaves what users made', async () => {
  const plane = new MemoryHostApi()
  for (const metadata of [{ name: 'old', labels: OURS }, { name: 'mine' }, { name: 'default' }]) {
    plane.put(`${STORAGE}/${metadata.name}`, storageClass(metadata))
  }

  const { until } = keeping({}, plane)

  await until(() => !plane.objects.has(`${STORAGE}/old`))
  expect(plane.objects.get(DEFAULT)).toMatchObject({ provisioner: 'acme.io/disks' })
  expect(plane.objects.has(`${STORAGE}/mine`)).toBe(true)
})

test('follows the classes of the host', async () => {
  const host = new MemoryHostApi()
  const fast = `${STORAGE}/fast`
  host.put(fast, storageClass({ name: 'fast' }))
  const { plane, until } = keeping({ classes: true }, new MemoryHostApi(), host)
  await until(() => plane.objects.has(fast))

  const annotations = { [IS_DEFAULT]: 'true' }
  host.put(fast, storageClass({ name: 'fast', annotations }))
  await until(() => plane.objects.get(fast)?.metadata.annotations?.[IS_DEFAULT] === 'true')
  host.remove(fast)

  await until(() => plane.objects.size === 0)
})

/** Keeps the classes of a plane; with a host, those of the host. */
function keeping(rules: Rules = {}, plane = new MemoryHostApi(), host?: MemoryHostApi) {
  const classes = byClassResource((resource): ClassSides => ({
    virtual: new ObjectCache(plane, collectionPath(resource)),
    ...(host === undefined ? {} : { host: new ObjectCache(host, collectionPath(resource)) }),
  }))
  Object.values(classes).forEach((sides) => follow(...Object.values<ObjectCache>({ ...sides })))
  const wanted = () => wantedClasses(rules, classes)
  const options = { plane, classes, wanted, onError: () => {} }
  inBackground((signal) => ensureClasses(options, signal))
  return { plane, until: (condition: () => boolean) => soon('it', condition) }
}

function ours(plane: MemoryHostApi): KubeObject {
  return plane.objects.get(DEFAULT) ?? storageClass({ name: 'default' })
}

function storageClass(metadata: KubeObject['metadata']): KubeObject {
  const provisioner = 'acme.io/disks'
  return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata, provisioner }
}
