import { expect, test } from 'vitest'
import { toHostConfigMap, toHostSecret } from '../../../../src/syncer/translate/kinds/config-map.ts'
import { SCOPE, virtualObject } from '../some-objects.ts'

const OWNER = { apiVersion: 'v1', kind: 'Service', name: 'vplane-dev-api', uid: 'uid-of-api' }

test('copies a ConfigMap', () => {
  const content = { data: { a: '1' }, binaryData: { b: 'AA==' }, immutable: true }
  const host = toHostConfigMap(SCOPE, virtualObject('ConfigMap', { ...content, other: 1 }), OWNER)

  expect(host).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', ...content })
  expect(host.metadata).toMatchObject({ name: 'web-x-shop-x-dev', ownerReferences: [OWNER] })
  expect(host).not.toHaveProperty('other')
})

test('copies an empty ConfigMap', () => {
  expect(Object.keys(toHostConfigMap(SCOPE, virtualObject('ConfigMap')))).toEqual([
    'apiVersion',
    'kind',
    'metadata',
  ])
})

test.for([
  ['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockerconfigjson'],
  ['kubernetes.io/tls', 'kubernetes.io/tls'],
  ['kubernetes.io/service-account-token', 'Opaque'],
  ['example.com/mine', 'Opaque'],
  [undefined, 'Opaque'],
] as const)('copies a Secret of type %s as %s', ([type, hostType]) => {
  const host = toHostSecret(SCOPE, virtualObject('Secret', { type, data: { a: 'AA==' } }), OWNER)

  expect(host).toMatchObject({ kind: 'Secret', type: hostType, data: { a: 'AA==' } })
  expect(host.metadata).toMatchObject({ ownerReferences: [OWNER] })
})
