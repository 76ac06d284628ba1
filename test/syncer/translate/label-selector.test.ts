import { expect, test } from 'vitest'
import { isSelected } from '../../../src/shared/kube/label-selector.ts'
import { readSelector, toHostSelector } from '../../../src/syncer/translate/label-selector.ts'
import { toHostServiceSelector } from '../../../src/syncer/translate/kinds/service.ts'
import { toHostMetadata } from '../../../src/syncer/translate/host-metadata.ts'
import { SCOPE, virtualObject } from './some-objects.ts'

const PLANE = { 'app.kubernetes.io/managed-by': 'vplane-syncer', 'vplane.dev/synced-by': 'dev' }
const NAMESPACE = 'vplane.dev/synced-namespace'

test('adds the plane and the namespace to what a user selects', () => {
  const matchExpressions = [{ key: 'tier', operator: 'In', values: ['front'] }]

  const selector = { matchLabels: { app: 'web' }, matchExpressions }

  const matchLabels = { app: 'web', ...PLANE, [NAMESPACE]: 'shop' }
  expect(toHostSelector(SCOPE, selector, ['shop'])).toEqual({ matchLabels, matchExpressions })
})

test.for([
  ['every namespace', 'all', { key: NAMESPACE, operator: 'Exists' }],
  ['several', ['b', 'a', 'b'], { key: NAMESPACE, operator: 'In', values: ['a', 'b'] }],
  ['none', [], { key: NAMESPACE, operator: 'In', values: [''] }],
] as const)('selects in %s', ([, namespaces, expression]) => {
  expect(toHostSelector(SCOPE, {}, namespaces)).toEqual({
    matchLabels: PLANE,
    matchExpressions: [expression],
  })
})

test.for([
  { matchLabels: { 'vplane.dev/name': 'prod' } },
  { matchLabels: { 'app.kubernetes.io/managed-by': 'Helm' } },
  { matchExpressions: [{ key: 'vplane.dev/name', operator: 'In', values: ['prod'] }] },
])('finds on the host what %j finds in the plane, and nothing of another', (selector) => {
  const labels = { 'vplane.dev/name': 'prod', 'app.kubernetes.io/managed-by': 'Helm' }
  const host = toHostSelector(SCOPE, selector, ['shop'])
  const own = toHostMetadata(
    { scope: SCOPE, resource: 'pods' },
    virtualObject('Pod', {}, { labels }),
  )
  const ofAnother = toHostMetadata(
    { scope: { ...SCOPE, plane: 'prod' }, resource: 'pods' },
    virtualObject('Pod'),
  )

  expect(isSelected(host, own.labels)).toBe(true)
  expect(isSelected(host, ofAnother.labels)).toBe(false)
})

test('reads only what can be read of a selector', () => {
  expect(readSelector({ matchLabels: { a: 'b', c: 1 }, matchExpressions: 'all' })).toEqual({
    matchLabels: { a: 'b' },
    matchExpressions: [],
  })
})

test('lets a Service find pods of its own namespace and plane alone', () => {
  expect(toHostServiceSelector(SCOPE, 'shop', { app: 'web', 'vplane.dev/name': 'prod' })).toEqual({
    app: 'web',
    ...PLANE,
    [NAMESPACE]: 'shop',
    'vplane.dev/label-d790317c08733e20': 'prod',
  })
})
