import { expect, test } from 'vitest'
import { KnownObjects } from '../../../src/kube/client/known-objects.ts'

test('tells everything of a first list as added', () => {
  const known = new KnownObjects()

  expect(known.replace([pod('a', 1), pod('b', 2)])).toEqual([
    { type: 'ADDED', object: pod('a', 1) },
    { type: 'ADDED', object: pod('b', 2) },
  ])
})

test('tells only what differs between a list and what it knows, deletions first', () => {
  const known = new KnownObjects()
  known.replace([pod('same', 1), pod('changed', 2), pod('gone', 3)])

  const events = known.replace([pod('new', 6), pod('changed', 5), pod('same', 1)])

  expect(events).toEqual([
    { type: 'DELETED', object: pod('gone', 3) },
    { type: 'ADDED', object: pod('new', 6) },
    { type: 'MODIFIED', object: pod('changed', 5) },
  ])
})

test('tells an object that was made again under its name as two events', () => {
  const known = new KnownObjects()
  known.replace([pod('a', 1, 'first')])

  expect(known.replace([pod('a', 9, 'second')])).toEqual([
    { type: 'DELETED', object: pod('a', 1, 'first') },
    { type: 'ADDED', object: pod('a', 9, 'second') },
  ])
})

test('counts the events between two lists', () => {
  const known = new KnownObjects()
  known.replace([pod('a', 1), pod('b', 2)])
  known.record({ type: 'DELETED', object: pod('a', 3) })
  known.record({ type: 'MODIFIED', object: pod('b', 4) })
  known.record({ type: 'ADDED', object: pod('c', 5) })

  expect(known.replace([pod('b', 4), pod('c', 5)])).toEqual([])
})

test('tells objects without a uid apart by namespace and name', () => {
  const known = new KnownObjects()
  const one = { apiVersion: 'v1', kind: 'X', metadata: { namespace: 'n', name: 'a' } }
  const two = { apiVersion: 'v1', kind: 'X', metadata: { namespace: 'm', name: 'a' } }

  expect(known.replace([one, two])).toHaveLength(2)
  expect(known.replace([one])).toEqual([{ type: 'DELETED', object: two }])
})

function pod(name: string, version: number, uid = name) {
  const metadata = { name, uid, resourceVersion: String(version) }
  return { apiVersion: 'v1', kind: 'Pod', metadata }
}
