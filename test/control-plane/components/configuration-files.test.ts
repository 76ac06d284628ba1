import { expect, test } from 'vitest'
import { checkArguments } from '../../../src/control-plane/components/check-arguments.ts'
import { configurationFiles } from '../../../src/control-plane/components/configuration-files.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { layoutOf } from '../../support/driver/layouts.ts'
import { thrownBy } from '../../support/thrown-by.ts'

function filesOf(user: UserSpec = {}): Record<string, unknown> {
  const files = configurationFiles(resolveSpec(user), layoutOf('nodeless'))
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, JSON.parse(text) as unknown]),
  )
}

test('opens the health endpoints to everybody, and nothing else', () => {
  expect(filesOf()['authentication.json']).toEqual({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [],
    anonymous: {
      enabled: true,
      conditions: [{ path: '/livez' }, { path: '/readyz' }, { path: '/healthz' }],
    },
  })
})

test("passes the user's authenticators on as they are", () => {
  const jwt = [{ issuer: { url: 'https://a.test', audiences: ['b'] }, later: { field: [1, null] } }]

  expect(filesOf({ authentication: { jwt } })['authentication.json']).toMatchObject({ jwt })
})

test('leads kube-controller-manager to the API by files, with no secret inside', () => {
  const files = configurationFiles(resolveSpec({}), layoutOf('nodeless'))

  expect(files['controller-manager.kubeconfig']).toContain('https://127.0.0.1:20003')
  expect(files['controller-manager.kubeconfig']).toContain('/plane/pki/controller-manager.key')
  expect(Object.values(files).join('\n')).not.toMatch(/BEGIN|-data"/)
})

test('holds nothing but JSON in which values cannot become structure', () => {
  const hostile = '"}, "kind": "x\n---\n'

  const file = filesOf({ authentication: { jwt: [{ [hostile]: hostile }] } })['authentication.json']

  expect(file).toMatchObject({
    kind: 'AuthenticationConfiguration',
    jwt: [{ [hostile]: hostile }],
  })
})

test.for<[UserSpec, string]>([
  [{ apiServer: { extraArgs: { 'etcd-servers': 'x' } } }, '--etcd-servers'],
  [{ controllerManager: { extraArgs: { master: 'x' } } }, '--master'],
  [{ etcd: { extraArgs: { 'data-dir': 'x' } } }, '--data-dir'],
  [{ etcd: { extraArgs: { 'max-wals': 'x' } } }, 'max-wals'],
])('finds what cannot be used before anything is made: %j', ([user, name]) => {
  expect(thrownBy(() => checkArguments(resolveSpec(user))).message).toContain(name)
})

test('finds nothing to refuse in a spec that can be used', () => {
  const user = { apiServer: { extraArgs: { v: '4' } }, etcd: { extraArgs: { 'max-wals': '3' } } }

  expect(() => checkArguments(resolveSpec(user))).not.toThrow()
})

test('has an audit policy when there is one, complete without its kind', () => {
  const rules = [{ level: 'Metadata' }]

  expect(filesOf()).not.toHaveProperty(['audit-policy.json'])
  expect(filesOf({ audit: { policy: { rules } } })['audit-policy.json']).toEqual({
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    rules,
  })
})
