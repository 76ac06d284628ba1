import { expect, test } from 'vitest'
import {
  grantedRights,
  neededRights,
} from '../../../../../src/drivers/kubernetes/preflight/rights/needed-rights.ts'

const role = (...rules: object[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'a' },
  rules,
})

test('needs the rights that a Role grants in order to create it', () => {
  const rule = { apiGroups: ['', 'apps'], resources: ['things', 'things/log'], verbs: ['get'] }

  expect(grantedRights([role(rule), { ...role(rule), kind: 'Other' }])).toEqual([
    { verb: 'get', group: '', resource: 'things', isVital: true },
    { verb: 'get', group: '', resource: 'things/log', isVital: true },
    { verb: 'get', group: 'apps', resource: 'things', isVital: true },
    { verb: 'get', group: 'apps', resource: 'things/log', isVital: true },
  ])
})

test('returns each right once, vital if any use of it is', () => {
  const granted = { verb: 'delete', group: '', resource: 'secrets', isVital: true }

  const rights = neededRights([{ group: '', resource: 'secrets' }], [granted])

  expect(
    rights.filter(({ resource, verb }) => resource === 'secrets' && verb === 'delete'),
  ).toEqual([granted])
})
