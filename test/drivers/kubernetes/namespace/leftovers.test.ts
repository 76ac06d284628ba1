import { expect, test } from 'vitest'
import { toLeftovers } from '../../../../src/drivers/kubernetes/namespace/leftovers.ts'

const ENDING = { deletionTimestamp: '2026-06-01T12:00:00Z' }
const HELD = { ...ENDING, finalizers: ['acme.io/a', 'acme.io/b'] }
const USED = { ...ENDING, finalizers: ['kubernetes.io/pvc-protection'] }

test.for([
  ['Secret', {}, 'something creates it again'],
  ['Secret', HELD, 'it has the finalizer "acme.io/a", "acme.io/b"'],
  ['Pod', ENDING, 'its node does not report that it has stopped'],
  ['PersistentVolumeClaim', USED, 'it is being deleted, but something still uses it'],
] as const)('says what keeps a %s with %j', ([kind, metadata, why]) => {
  const object = { apiVersion: 'v1', kind, metadata: { name: 'it', ...metadata } }
  const found = { path: '/it', object, isOwn: true }

  expect(toLeftovers([found], new Map())).toEqual([{ what: `${kind} "it"`, why }])
})
