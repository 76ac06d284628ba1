import { expect, test } from 'vitest'
import { type ClaimContext, toHostClaim } from '../../../../src/syncer/translate/kinds/claim.ts'
import { SCOPE, virtualObject } from '../some-objects.ts'

const OF_CLAIM = { kind: 'PersistentVolumeClaim' }
const SNAPSHOTS = 'snapshot.storage.k8s.io'
const CONTEXT: ClaimContext = {
  scope: SCOPE,
  storageClasses: new Map([
    ['default', undefined],
    ['fast', 'host-ssd'],
  ]),
}

test('asks the host for the same volume, of the class that stands for the plane’s', () => {
  const kept = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    volumeMode: 'Filesystem',
  }

  expect(claim({ ...kept, storageClassName: 'fast', selector: {} })).toEqual({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: expect.objectContaining({ name: 'web-x-shop-x-dev' }),
    spec: { ...kept, storageClassName: 'host-ssd' },
  })
})

test.for([
  ['the claim names none', {}],
  ['the plane’s class stands for the default one', { storageClassName: 'default' }],
] as const)('leaves the class to the host when %s', ([, spec]) => {
  expect(claim(spec)).toMatchObject({ spec: {} })
  expect(claim(spec)).not.toHaveProperty('spec.storageClassName')
})

test('leaves it to the host which volume a claim is bound to', () => {
  const bound = claim({ volumeName: 'pvc-uid-of-web' })

  expect(bound).toMatchObject({ kind: 'PersistentVolumeClaim' })
  expect(bound).not.toHaveProperty('spec.volumeName')
})

test('has no owner, so that the data can stay', () => {
  expect(claim({})).not.toHaveProperty('metadata.ownerReferences')
})

test('copies another claim of the namespace', () => {
  const source = { ...OF_CLAIM, name: 'old' }
  const dataSource = { ...OF_CLAIM, name: 'old-x-shop-x-dev' }

  expect(claim({ dataSource: source, dataSourceRef: source })).toMatchObject({
    spec: { dataSource },
  })
})

test.for([
  [
    { storageClassName: 'slow' },
    `"sync.storageClasses: [slow]" in the plane's spec would allow it`,
  ],
  [{ storageClassName: '' }, '"" is not possible in a plane'],
  [{ volumeName: 'pv-1' }, 'the host chooses the volume'],
  [{ dataSource: { kind: 'VolumeSnapshot', name: 'x' } }, 'spec.dataSource'],
  [{ dataSource: { apiGroup: SNAPSHOTS, kind: 'VolumeSnapshot', name: 'x' } }, 'spec.dataSource'],
  [{ dataSourceRef: { ...OF_CLAIM, name: 'x', namespace: 'mail' } }, 'spec.dataSource'],
] as const)('refuses %j', ([spec, why]) => {
  expect(claim(spec)).toEqual({ refusals: [expect.stringContaining(why)] })
})

test.for([
  ['host', undefined],
  ['virtual', 'node-1'],
] as const)(
  'says near which node a volume is needed where the plane schedules: %s',
  ([scheduler, expected]) => {
    const annotations = {
      'volume.kubernetes.io/selected-node': 'node-1',
      'volume.kubernetes.io/storage-provisioner': 'other',
    }
    const virtual = virtualObject('PersistentVolumeClaim', { spec: {} }, { annotations })

    const made = toHostClaim(virtual, { ...CONTEXT, scheduler })

    const kept = 'metadata' in made ? made.metadata.annotations : {}
    expect(kept?.['volume.kubernetes.io/selected-node']).toBe(expected)
    expect(kept).not.toHaveProperty('volume.kubernetes.io/storage-provisioner')
  },
)

function claim(spec: Record<string, unknown>) {
  return toHostClaim(virtualObject('PersistentVolumeClaim', { spec }), CONTEXT)
}
