import { expect, test } from 'vitest'
import { type NestedObservation, nestedStatus } from '../../../src/operator/nested/nested-status.ts'
import type { ObservedParts } from '../../../src/operator/nested/observe-parts.ts'
import { conditionOf, type KubeObject } from '../../../src/shared/kube/kube-object.ts'

const NOW = new Date('2026-01-01T00:00:00Z')

const nested = (status: object = {}): KubeObject => ({
  apiVersion: 'nested.vplane.dev/v1beta1',
  kind: 'NestedControlPlane',
  metadata: { name: 'tenant', namespace: 'team', uid: 'own', generation: 2 },
  status,
})
const ready = { ready: true }
const controlPlane = (conditions: Record<string, string>, observedGeneration = 1): KubeObject => ({
  apiVersion: 'vplane.dev/v1beta1',
  kind: 'ControlPlane',
  metadata: { name: 'tenant', generation: 1 },
  status: {
    version: '1.36.3',
    conditions: Object.entries(conditions).map(([type, status]) => ({
      type,
      status,
      reason: 'Why',
      message: `about ${type}`,
      observedGeneration,
    })),
  },
})
const apiServer = (readyReplicas: number): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {},
  spec: { replicas: 1 },
  status: { replicas: 1, updatedReplicas: 1, readyReplicas, availableReplicas: readyReplicas },
})
const parts = (changes: Partial<ObservedParts> = {}): ObservedParts => ({
  statuses: { pki: ready, etcd: ready, kas: ready, kcm: ready },
  controlPlane: controlPlane({ Ready: 'True' }),
  apiServer: apiServer(1),
  kubeconfig: 'x',
  ...changes,
})
const shownOf = (observation: NestedObservation, before?: object) => {
  const status = nestedStatus(nested(before), observation, NOW)
  return { status, is: (type: string) => conditionOf({ status }, type) }
}

test('is ready with all parts, a settled ControlPlane and its addons', () => {
  const { is, status } = shownOf({ observed: parts(), addons: [] })

  expect(status).toMatchObject({
    ready: true,
    observedGeneration: 2,
    version: 'v1.36.3',
    versions: [{ version: 'v1.36.3', replicas: 1 }],
    initialization: { controlPlaneInitialized: true },
  })
  expect(is('Available')).toMatchObject({ status: 'True', reason: 'Available' })
})

test.each([
  [
    'a part is not ready',
    {
      observed: parts({ statuses: { ...parts().statuses, kas: { ready: false, reason: 'slow' } } }),
      addons: [],
    },
    'slow',
  ],
  [
    'its ControlPlane changes',
    { observed: parts({ controlPlane: controlPlane({ Ready: 'False' }) }), addons: [] },
    'about Ready',
  ],
  [
    'the status of its ControlPlane is about a former spec',
    { observed: parts({ controlPlane: controlPlane({ Ready: 'True' }, 0) }), addons: [] },
    'about Ready',
  ],
  [
    'its ControlPlane has a fault',
    {
      observed: parts({ controlPlane: controlPlane({ Ready: 'True', Degraded: 'True' }) }),
      addons: [],
    },
    'about Degraded',
  ],
  [
    'an addon is not ready',
    { observed: parts(), addons: ['Deployment "dns"'] },
    'waiting for Deployment "dns"',
  ],
  [
    'the addons were not applied',
    { observed: parts() },
    'waiting for the API of the control plane',
  ],
  [
    'it could not be made',
    { observed: parts(), addons: [], failure: { reason: 'Failed', message: 'no' } },
    'no',
  ],
] satisfies Array<[string, NestedObservation, string]>)(
  'is not ready when %s',
  (_, observation, message) => {
    const { is, status } = shownOf(observation)

    expect(status['ready']).toBe(false)
    expect(is('Ready')).toMatchObject({ status: 'False', message })
  },
)

test('stays initialized, and counts pods as zero when there are none', () => {
  const before = { initialization: { controlPlaneInitialized: true }, replicas: 1 }
  const { is, status } = shownOf({ observed: parts({ apiServer: undefined }) }, before)

  expect(status).toMatchObject({
    initialization: { controlPlaneInitialized: true },
    replicas: 0,
    readyReplicas: 0,
    availableReplicas: 0,
    upToDateReplicas: 0,
  })
  expect(is('Available')).toMatchObject({ status: 'False', reason: 'NotAvailable' })
})

test('keeps what it says while it is paused, and says why it is', () => {
  const before = nestedStatus(nested(), { observed: parts(), addons: [] }, NOW)
  const { is, status } = shownOf({ paused: 'Cluster spec.paused is set to true' }, before)

  expect(status['ready']).toBe(true)
  expect(is('Paused')).toMatchObject({
    status: 'True',
    reason: 'Paused',
    message: 'Cluster spec.paused is set to true',
  })
})
