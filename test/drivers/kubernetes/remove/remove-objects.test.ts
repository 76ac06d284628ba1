import { expect, test } from 'vitest'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import type { FoundObject } from '../../../../src/drivers/kubernetes/namespace/inventory.ts'
import { removalSteps } from '../../../../src/drivers/kubernetes/remove/remove-objects.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const ENDPOINT = found('Service', 'vplane-dev-api')
const SLICE = found('EndpointSlice', 'vplane-dev-api-x7', {
  labels: { 'kubernetes.io/service-name': 'vplane-dev-api' },
})
const RECORD = found('Secret', 'vplane-dev-record')
const LAST = [ENDPOINT, SLICE, found('Endpoints', 'vplane-dev-api'), RECORD]

test('deletes workloads first, so that no new pods appear, and then pods', () => {
  const all = [
    found('Secret', 'vplane-dev-ca'),
    found('Pod', 'vplane-dev-etcd-0'),
    found('ReplicaSet', 'vplane-dev-kube-apiserver-x7'),
    found('StatefulSet', 'vplane-dev-etcd'),
    found('Deployment', 'vplane-dev-kube-apiserver'),
    found('ControllerRevision', 'vplane-dev-etcd-x7'),
    ...LAST,
  ]

  expect(namesOf(all)).toEqual([
    ['vplane-dev-etcd', 'vplane-dev-kube-apiserver'],
    ['vplane-dev-kube-apiserver-x7'],
    ['vplane-dev-etcd-0'],
    ['vplane-dev-ca', 'vplane-dev-etcd-x7'],
  ])
})

test('waits for objects that are being deleted, and keeps the endpoint until then', () => {
  const ending = found('Pod', 'vplane-dev-etcd-0', { deletionTimestamp: '2026-06-01T12:00:00Z' })

  expect(namesOf([ending, ...LAST]).flat()).toEqual([])
})

test('deletes the endpoint when only the record remains', () => {
  expect(namesOf(LAST).flat()).toEqual(['vplane-dev-api'])
})

test('waits for the EndpointSlices of the endpoint, which the host deletes', () => {
  expect(namesOf([SLICE, RECORD]).flat()).toEqual([])
})

test('deletes the record last', () => {
  expect(namesOf([RECORD]).flat()).toEqual(['vplane-dev-record'])
  expect(namesOf([]).flat()).toEqual([])
})

function namesOf(objects: readonly FoundObject[]): Array<Array<string | undefined>> {
  return removalSteps(PLACE, objects).map((step) => step.map(({ object }) => object.metadata.name))
}

function found(kind: string, name: string, metadata: KubeObject['metadata'] = {}): FoundObject {
  const object = { apiVersion: 'v1', kind, metadata: { ...metadata, name, namespace: 'team-a' } }
  const resource = `${kind.toLowerCase()}s`
  return { object, path: `/api/v1/namespaces/team-a/${resource}/${name}`, isOwn: true }
}
