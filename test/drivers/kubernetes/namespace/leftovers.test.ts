import { expect, test } from 'vitest'
import type { FoundObject } from '../../../../src/drivers/kubernetes/namespace/inventory.ts'
import { toLeftovers } from '../../../../src/drivers/kubernetes/namespace/leftovers.ts'
import { refusal } from '../../../support/api/memory-host-api.ts'

const ENDING = { deletionTimestamp: '2026-06-01T12:00:00Z' }

test.for([
  ['Secret', {}, 'something creates it again'],
  [
    'Secret',
    { ...ENDING, finalizers: ['acme.io/a', 'acme.io/b'] },
    'it has the finalizer "acme.io/a", "acme.io/b"',
  ],
  ['Pod', ENDING, 'its node does not report that it has stopped'],
  [
    'PersistentVolumeClaim',
    { ...ENDING, finalizers: ['kubernetes.io/pvc-protection'] },
    'it is being deleted, but something still uses it',
  ],
] as const)('says what keeps a %s with %j', ([kind, metadata, why]) => {
  expect(toLeftovers([found(kind, metadata)], new Map())).toEqual([{ what: `${kind} "it"`, why }])
})

test('says what the host says when it refuses, such as the name of a webhook', () => {
  const denial = refusal(403, 'admission webhook "guard.acme.io" denied the request')

  const [leftover] = toLeftovers([found('Secret', {})], new Map([['/it', denial]]))

  expect(leftover?.why).toBe(
    'the host refuses to delete it: admission webhook "guard.acme.io" denied the request',
  )
})

test('says of what vplane did not make that it stays for that', () => {
  const [leftover] = toLeftovers([{ ...found('Secret', {}), isOwn: false }], new Map())

  expect(leftover?.why).toBe('it has the labels of the plane, but vplane did not create it')
})

function found(kind: string, metadata: Record<string, unknown>): FoundObject {
  const object = { apiVersion: 'v1', kind, metadata: { name: 'it', ...metadata } }
  return { path: '/it', object, isOwn: true }
}
