import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { keyOf, type ObjectKey } from '../../../src/kube/cache/object-key.ts'
import { SyncLoop } from '../../../src/syncer/engine/sync-loop.ts'
import { inBackground } from '../../support/in-background.ts'
import { soon } from '../../support/soon.ts'
import { cacheOf } from './some-caches.ts'

const object = (name: string, labels = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'default', labels },
})

/** A loop over these objects, and what it has done. */
async function loopOver({ host = [], virtual = [] }: { virtual?: string[]; host?: string[] }) {
  const done: string[] = []
  const failing = new Set<ObjectKey>()
  const work = (what: string) => async (key: ObjectKey) => {
    done.push(`${what} ${key}`)
    if (failing.delete(key)) {
      throw new Error('not now')
    }
  }
  const sides = {
    virtual: await cacheOf(...virtual.map((name) => object(name))),
    host: await cacheOf(...host.map((name) => object(name))),
  }
  const loop = new SyncLoop({
    sides,
    keyOfHost: ({ metadata }) =>
      metadata.name?.startsWith('ours-') === true ? `default/${metadata.name.slice(5)}` : undefined,
    sync: work('sync'),
    check: work('check'),
    onError: (key, error) => done.push(`${key}: ${String(error)}`),
  })
  inBackground((signal) => loop.run(signal))
  return { done, failing, loop }
}

test('compares all of both sides, each once, and none of the host that is not ours', async () => {
  const over = await loopOver({ virtual: ['a', 'b'], host: ['ours-b', 'ours-c', 'other'] })

  over.loop.compareAll()
  await soon('the comparison', () => over.loop.isCompared)

  expect(over.done.toSorted()).toEqual(['check default/a', 'check default/b', 'check default/c'])
  expect(over.loop.counts).toMatchObject({ errors_total: 0, reconcile_seconds_count: 3 })
})

test('looks at a kind that is on one side alone', async () => {
  const done: string[] = []
  const sync = async (key: string) => void done.push(key)
  const loop = new SyncLoop({
    sides: { host: await cacheOf(object('a')) },
    keyOfHost: keyOf,
    sync,
    check: sync,
    onError: () => {},
    workers: 1,
  })
  inBackground((signal) => loop.run(signal))

  loop.compareAll()
  loop.addWhere(() => true)
  await soon('the comparison', () => loop.isCompared)

  expect(done).toEqual(['default/a'])
})

test('does not count as found by comparing what has changed meanwhile', async () => {
  const over = await loopOver({ virtual: ['a'] })

  over.loop.compareAll()
  over.loop.add('default/a')
  await soon('the work', () => over.done.length > 0)

  expect(over.done).toEqual(['sync default/a'])
  expect(over.loop.isCompared).toBe(true)
})

test('comes back to what has failed, and counts it', async () => {
  const over = await loopOver({ virtual: ['a'] })
  over.failing.add('default/a')

  over.loop.add('default/a')
  await soon('another try', () => over.done.length === 3)

  expect(over.done).toEqual(['sync default/a', 'default/a: Error: not now', 'sync default/a'])
  expect(over.loop.counts).toMatchObject({ errors_total: 1, reconcile_seconds_count: 2 })
})

test('looks at what is concerned by something else', async () => {
  const over = await loopOver({ virtual: ['a', 'b'] })

  over.loop.addWhere(({ metadata }) => metadata.name === 'b')
  await soon('the work', () => over.done.length > 0)

  expect(over.done).toEqual(['sync default/b'])
})

test('syncs an object again that has put off a part of its work for others', async () => {
  const done: string[] = []
  const sync = async (key: ObjectKey) => void done.push(`${key} ${loop.putOff(key)}`)
  const loop: SyncLoop = new SyncLoop({
    sides: {},
    keyOfHost: keyOf,
    sync,
    check: sync,
    onError: () => {},
    workers: 1,
  })
  loop.add('default/a')
  loop.add('default/b')

  inBackground((signal) => loop.run(signal))
  await soon('the last sync', () => done.length === 3)

  expect(done).toEqual(['default/a true', 'default/b false', 'default/a false'])
})
