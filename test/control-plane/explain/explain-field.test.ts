import { expect, test } from 'vitest'
import { readSpecSchema } from '../../../src/cli/completion/spec-schema-file.ts'
import { replacedComponents } from '../../../src/compose/replaced-components.ts'
import { defaultValues } from '../../../src/control-plane/explain/default-values.ts'
import { explainField, fieldsUnder } from '../../../src/control-plane/explain/explain-field.ts'
import {
  allFields,
  closestPath,
  fieldAtPath,
  typeOf,
} from '../../../src/control-plane/explain/spec-schema.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const SCHEMA = readSpecSchema()

const explain = (path: string) => explainField(SCHEMA, path, replacedComponents())

test('every field has a description', () => {
  const fields = allFields({ path: '', schema: SCHEMA })

  expect(fields.length).toBeGreaterThan(80)
  expect(fields.filter(({ schema }) => !/^["A-Z].*\.$/.test(schema.description ?? ''))).toEqual([])
})

test.for([
  ['apiGroups', 'string'],
  ['etcd.replicas', 'integer'],
  ['apiServer.goGc', 'integer'],
  ['ephemeral', 'boolean'],
  ['extraSans', '[]string'],
  ['featureGates', 'map[string]boolean'],
  ['apiServer.extraArgs', 'map[string]string or []string'],
  ['apiServer.extraArgs.v', 'string or []string'],
  ['pods.tolerations', '[]Object'],
  ['pods.affinity', 'Object'],
  ['sync', 'Object'],
  ['labels', 'map[string]string'],
] as const)('knows the type of %s', ([path, type]) => {
  const field = fieldAtPath(SCHEMA, path)

  expect(field && typeOf(field.schema)).toBe(type)
})

test.for([
  ['apiServer.goGc', [{ value: 50, of: [] }]],
  ['serviceRange', [{ value: '10.96.0.0/16', of: [] }]],
  ['preset', [{ value: 'nano', of: [] }]],
  [
    'etcd.replicas',
    [
      { value: 1, of: ['nano', 'small'] },
      { value: 3, of: ['ha'] },
    ],
  ],
  ['encryption.secrets', [{ value: true, of: ['kubernetes'] }]],
  ['backup.keep.daily', [{ value: 7, of: [] }]],
  ['keeper.resources.requests.cpu', [{ value: '5m', of: [] }]],
  ['backup.schedule', []],
  ['sync.runtimeClasses', []],
] as const)('knows the default of %s', ([path, defaults]) => {
  expect(defaultValues(path.split('.'))).toEqual(defaults)
})

test.for([
  ['apiServer.extraArgs', 'kube-apiserver'],
  ['apiServer.goGc', 'kube-apiserver'],
  ['apiGroups', 'kube-apiserver, kube-controller-manager'],
  ['featureGates', 'kube-apiserver, kube-controller-manager, kube-scheduler'],
  ['audit', 'kube-apiserver'],
  ['etcd.extraArgs', 'etcd'],
  ['etcd.replicas', 'etcd, kube-apiserver'],
  ['controllerManager.resources.limits', 'kube-controller-manager'],
  ['scheduler.goGc', 'kube-scheduler'],
  ['sync.storageClasses', 'syncer'],
  ['sync.enabled', 'kube-apiserver, kube-controller-manager'],
  ['backup.schedule', ''],
  ['pods.labels', 'etcd, kube-apiserver, kube-controller-manager, syncer, kube-scheduler, keeper'],
  ['extraSans', ''],
  ['authentication', ''],
  ['expose', ''],
  ['labels', ''],
] as const)('knows that a change of %s restarts %s', ([path, restarts]) => {
  expect(explain(path).restarts.join(', ')).toBe(restarts)
})

test.for(['serviceRange', 'pki', 'pki.algorithm', 'storage', 'version', 'sync.scheduler'])(
  'says why %s never changes, and what to do instead',
  (path) => {
    const { fixed, restarts } = explain(path)

    expect(fixed?.why).toMatch(/^\w/)
    expect(fixed?.instead.length).toBeGreaterThan(0)
    expect(restarts).toEqual([])
  },
)

test('lists the fields of one level, or of all', () => {
  const names = (path: string, recursive: boolean) =>
    fieldsUnder(SCHEMA, path, { recursive }).map((field) => field.path)

  expect(names('backup', false)).toEqual(
    ['keep', 'schedule', 'secret', 'store'].map((one) => `backup.${one}`),
  )
  expect(names('backup', true)).toContain('backup.keep.daily')
  expect(names('', false)).toContain('apiServer')
  expect(names('', false)).not.toContain('$schema')
  expect(names('ephemeral', true)).toEqual([])
})

test.for([
  ['apiSever', 'apiServer'],
  ['apiSever.goGc', 'apiServer.goGc'],
  ['etcd.goGC', 'etcd.goGc'],
  ['sync.pod.allow', 'sync.pods.allow'],
  ['goGc', 'apiServer.goGc'],
  ['frobnicate', undefined],
  ['a.b.c', undefined],
] as const)('takes %s for %s', ([path, meant]) => {
  expect(closestPath(SCHEMA, path)).toBe(meant)
})

test.for(['apiSever', 'etcd.goGc.x', 'etcd.', '', 'constructor'])('refuses "%s"', (path) => {
  expect(thrownBy(() => explain(path))).toMatchObject({
    code: 'NOT_FOUND',
    message: `a spec has no field "${path}"`,
  })
})
