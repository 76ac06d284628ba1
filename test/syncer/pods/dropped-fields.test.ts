import { expect, test } from 'vitest'
import { droppedFields } from '../../../src/syncer/pods/dropped-fields.ts'

const MOUNT = { name: 'v', mountPath: '/v' }
const OPTIONS = { ...MOUNT, bindMountOptions: ['noexec'] }

test('names the fields that the host has left out', () => {
  const sent = {
    containers: [{ name: 'main', volumeMounts: [OPTIONS] }],
    volumes: [{ name: 'v', emptyDir: { mode: 448 } }],
  }
  const stored = {
    containers: [{ name: 'main', volumeMounts: [MOUNT] }],
    volumes: [{ name: 'v', emptyDir: {} }],
  }

  expect(droppedFields(sent, stored, 'spec')).toEqual([
    'spec.containers[main].volumeMounts[v].bindMountOptions',
    'spec.volumes[v].emptyDir.mode',
  ])
})

test.for<[string, object, object]>([
  ['other values', { priority: 1 }, { priority: 2 }],
  ['more fields', {}, { nodeName: 'one' }],
  ['more in lists', { containers: [{ name: 'a', tty: true }] }, withSidecar({ tty: true })],
  ['missing empty values', { hostNetwork: false, hostname: '', affinity: {}, dns: [] }, {}],
])('says nothing of %s', ([, sent, stored]) => {
  expect(droppedFields(sent, stored, 'spec')).toEqual([])
})

function withSidecar(fields: object) {
  return { containers: [{ name: 'sidecar' }, { name: 'a', ...fields }] }
}
