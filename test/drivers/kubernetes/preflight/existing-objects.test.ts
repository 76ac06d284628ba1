import { expect, test } from 'vitest'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { existingFindings } from '../../../../src/drivers/kubernetes/preflight/existing-objects.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { objectOf } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a', hostContext: 'kind' }

test('accepts objects that vplane created for the plane', () => {
  expect(judge(service(objectLabels('dev')))).toEqual([])
})

test.for([
  [{}, {}, 'Service "vplane-dev-api"'],
  [objectLabels('other'), {}, 'Service "vplane-dev-api" (of vplane)'],
  [{ 'app.kubernetes.io/managed-by': 'Helm' }, {}, 'Service "vplane-dev-api" (of Helm)'],
  [{}, { managedFields: [{ manager: 'argocd' }] }, 'Service "vplane-dev-api" (of argocd)'],
  [
    {},
    { ownerReferences: [{ kind: 'Game', name: 'chess' }], managedFields: [{ manager: 'x' }] },
    'Service "vplane-dev-api" (of Game "chess")',
  ],
] as const)('reports objects of others: %j %j', ([labels, metadata, words]) => {
  expect(judge(service(labels, metadata))).toEqual([
    {
      subject: 'names',
      level: 'problem',
      message: `vplane did not create these objects, which have names of "dev": ${words}`,
      hint: 'choose another name, or delete them: kubectl --context kind -n team-a delete service/vplane-dev-api',
    },
  ])
})

test('reports objects that are being deleted, and what they wait for', () => {
  const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/keep'] }

  expect(judge(service(objectLabels('dev'), metadata))).toEqual([
    {
      subject: 'names',
      level: 'problem',
      message: 'still being deleted: Service "vplane-dev-api" (waits for example.com/keep)',
      hint: 'kubectl --context kind -n team-a wait --for=delete service/vplane-dev-api --timeout=60s',
    },
  ])
})

test('does not lose the data of a plane whose keys are gone', () => {
  const metadata = { name: 'data-vplane-dev-etcd-0', labels: objectLabels('dev') }

  expect(judge(objectOf('PersistentVolumeClaim', metadata))).toMatchObject([
    {
      subject: 'volumes',
      level: 'problem',
      message:
        'PersistentVolumeClaim "data-vplane-dev-etcd-0" contains data of an earlier plane "dev" whose keys are missing',
    },
  ])
})

test('reports a record that cannot be read', () => {
  const labels = objectLabels('dev')
  const secret = objectOf('Secret', { name: 'vplane-dev-record', namespace: 'team-a', labels })
  const data = { record: Buffer.from('{').toString('base64') }

  expect(judge({ ...secret, type: 'vplane.dev/record', data })).toMatchObject([
    {
      subject: 'record',
      level: 'problem',
      message: expect.stringMatching(/^the Secret "vplane-dev-record" .* is damaged: /),
      hint: { action: 'delete', plane: { name: 'dev', namespace: 'team-a' } },
    },
  ])
})

function judge(...objects: KubeObject[]) {
  return existingFindings(new Map(objects.map((object, index) => [`/${index}`, object])), PLACE)
}

function service(labels: Record<string, string>, more: object = {}): KubeObject {
  return objectOf('Service', { name: 'vplane-dev-api', labels, ...more })
}
