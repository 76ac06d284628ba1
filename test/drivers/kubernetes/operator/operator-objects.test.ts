import { expect, test } from 'vitest'
import type { OperatorSettings } from '../../../../src/control-plane/declared/operators.ts'
import { operatorObjects } from '../../../../src/drivers/kubernetes/operator/operator-objects.ts'
import { operatorRules } from '../../../../src/drivers/kubernetes/operator/operator-rules.ts'

const objectsOf = (settings: Partial<OperatorSettings>) =>
  operatorObjects(
    { namespace: 'vplane-system', scope: 'cluster', replicas: 1, ...settings },
    (program) => Buffer.from(program).toString('base64'),
  )

test('has a ClusterRole for all namespaces, named after its own', () => {
  const kinds = objectsOf({}).map(({ kind, metadata }) => `${kind} ${metadata.name}`)

  expect(kinds).toEqual([
    'ClusterRole vplane:vplane-system:operator:cluster-api',
    'ConfigMap vplane-operator',
    'ClusterRoleBinding vplane:vplane-system:operator',
    'ClusterRole vplane:vplane-system:operator',
    'ServiceAccount vplane-operator',
    'Deployment vplane-operator',
  ])
})

test('in one namespace, has nothing outside of it', () => {
  const objects = objectsOf({ scope: 'namespace', namespace: 'team-a' })

  expect(objects.map(({ metadata }) => metadata.namespace)).toEqual(objects.map(() => 'team-a'))
  const reached = operatorRules('namespace').flatMap(({ resources }) => resources)
  expect(reached).not.toEqual(expect.arrayContaining(['clusterroles']))
  expect(reached).not.toEqual(expect.arrayContaining(['nodes']))
})

test('replaces its pods when a program changes', () => {
  const checksumOf = (programOf: () => string) =>
    operatorObjects({ namespace: 'a', scope: 'cluster', replicas: 1 }, programOf).flatMap(
      (object) => JSON.stringify(object).match(/bundle-checksum":"\w+/) ?? [],
    )

  expect(checksumOf(() => 'a')).toHaveLength(1)
  expect(checksumOf(() => 'a')).not.toEqual(checksumOf(() => 'b'))
})
