import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/shared/package-root.ts'
import { recordAt, recordsAt, textAt } from '../../src/shared/json-fields.ts'

function crdOf(plural: string): unknown {
  const path = join(packageRoot(), 'schemas/crds', `${plural}.nested.vplane.dev.json`)
  return JSON.parse(readFileSync(path, 'utf8'))
}

function fieldsOf(plural: string, part: 'spec' | 'status'): Record<string, unknown> {
  const [version] = recordsAt(crdOf(plural), 'spec', 'versions')
  const schema = ['schema', 'openAPIV3Schema', 'properties', part, 'properties']
  return recordAt(version, ...schema) ?? {}
}

test.each([
  ['nestedetcds', ['nestedPKI', 'template', 'replicas'], ['ready', 'addresses']],
  ['nestedkases', ['nestedPKI', 'nestedEtcd', 'template', 'replicas'], ['ready', 'kasService']],
  ['nestedkcms', ['nestedPKI', 'nestedKAS', 'template', 'replicas'], ['ready']],
  ['nestedpkis', [], ['ready', 'certificates', 'kubeconfigs']],
])('%s have the fields of the proposal', (plural, spec, status) => {
  expect(Object.keys(fieldsOf(plural, 'spec'))).toEqual(spec)
  expect(Object.keys(fieldsOf(plural, 'status'))).toEqual(
    expect.arrayContaining(['observedGeneration', 'reason', ...status]),
  )
})

test('each component has one pod by default', () => {
  for (const plural of ['nestedetcds', 'nestedkases', 'nestedkcms']) {
    expect(fieldsOf(plural, 'spec')['replicas']).toMatchObject({ default: 1 })
  }
})

test('kube-apiserver is not ready by default, and addresses of etcd need a port', () => {
  expect(fieldsOf('nestedkases', 'status')['ready']).toMatchObject({ default: false })
  expect(recordAt(fieldsOf('nestedetcds', 'status'), 'addresses', 'items')).toMatchObject({
    required: ['port'],
    properties: { ip: { type: 'string' }, hostname: { type: 'string' }, port: { type: 'integer' } },
  })
})

test('etcd has an odd number of members', () => {
  expect(fieldsOf('nestedetcds', 'spec')['replicas']).toMatchObject({ enum: [1, 3, 5] })
})

test('templates are cluster-wide, and the others are in namespaces', () => {
  const scopeOf = (plural: string) => textAt(crdOf(plural), 'spec', 'scope')

  expect(scopeOf('nestedcontrolplanetemplates')).toBe('Cluster')
  expect(
    ['nestedcontrolplanes', 'nestedetcds', 'nestedkases', 'nestedkcms', 'nestedpkis'].map(scopeOf),
  ).toEqual(Array.from({ length: 5 }, () => 'Namespaced'))
})

test('NestedControlPlanes say which version of Cluster API they keep the contract of', () => {
  expect(recordAt(crdOf('nestedcontrolplanes'), 'metadata', 'labels')).toEqual({
    'cluster.x-k8s.io/v1beta2': 'v1beta1',
  })
})
