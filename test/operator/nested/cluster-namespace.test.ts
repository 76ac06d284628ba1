import { expect, test } from 'vitest'
import {
  ensureClusterNamespace,
  removeClusterNamespace,
} from '../../../src/operator/nested/cluster-namespace.ts'
import { OWNER_LABEL, placeOf } from '../../../src/operator/nested/nested-control-plane.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'

const { signal } = new AbortController()

const nested = (status: object = {}): KubeObject => ({
  apiVersion: 'nested.vplane.dev/v1beta1',
  kind: 'NestedControlPlane',
  metadata: { name: 'tenant', namespace: 'team', uid: 'own' },
  status,
})
const { namespace: NAME } = placeOf(nested())
const namespaceOf = (owner: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: NAME, uid: 'first', labels: { [OWNER_LABEL]: owner }, ...metadata },
})

/** A host cluster with this namespace, or with none. */
function hostWith(found: KubeObject | undefined) {
  const deleted: unknown[] = []
  return {
    deleted,
    get: async () => found,
    create: async (_: string, object: KubeObject) => ({
      ...object,
      metadata: { ...object.metadata, uid: 'new' },
    }),
    delete: async (_: string, options?: { uid?: string | undefined }) => {
      deleted.push(options?.uid)
      return true
    },
  }
}

test('has the namespace, a hash of the UID and the name in its name, of at most 63 characters', () => {
  const long = { ...nested(), metadata: { name: 'n'.repeat(63), namespace: 's'.repeat(63) } }

  expect(NAME).toMatch(/^team-[0-9a-f]{6}-tenant$/)
  expect(placeOf(long).namespace).toMatch(/^s{28}-[0-9a-f]{6}-n{27}$/)
})

test('makes the namespace, and takes the one that it has made', async () => {
  const made = await ensureClusterNamespace(hostWith(undefined), nested(), signal)
  const known = await ensureClusterNamespace(hostWith(namespaceOf('own')), nested(), signal)

  expect(made).toEqual({ name: NAME, uid: 'new' })
  expect(known).toEqual({ name: NAME, uid: 'first' })
})

test.each([
  ['of another owner', namespaceOf('other')],
  ['that is being deleted', namespaceOf('own', { deletionTimestamp: '2026-01-01T00:00:00Z' })],
])('takes no namespace %s', async (_, found) => {
  const made = ensureClusterNamespace(hostWith(found), nested(), signal)

  await expect(made).rejects.toMatchObject({ code: 'CONFLICT' })
})

test.each([
  ['its own', { found: namespaceOf('own'), recorded: { uid: 'first' }, deleted: ['first'] }],
  [
    'its own before the status has its UID',
    { found: namespaceOf('own'), recorded: undefined, deleted: ['first'] },
  ],
  [
    'no other one of the name',
    { found: namespaceOf('own', { uid: 'second' }), recorded: { uid: 'first' }, deleted: [] },
  ],
  [
    'none of another owner',
    { found: namespaceOf('other'), recorded: { uid: 'first' }, deleted: [] },
  ],
])('deletes %s', async (_, { deleted, found, recorded }) => {
  const host = hostWith(found)

  const isGone = await removeClusterNamespace(host, nested({ clusterNamespace: recorded }), signal)

  expect(host.deleted).toEqual(deleted)
  expect(isGone).toBe(deleted.length === 0)
})
