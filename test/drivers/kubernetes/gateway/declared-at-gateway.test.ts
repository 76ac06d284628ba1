import { expect, test } from 'vitest'
import { changedSpec } from '../../../../src/control-plane/changes/changed-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { changePlane } from '../../../../src/drivers/kubernetes/change/change-plane.ts'
import { planChange } from '../../../../src/drivers/kubernetes/change/plan-change.ts'
import { leadToGateway } from '../../../../src/drivers/kubernetes/gateway/endpoint-switch.ts'
import {
  listSlices,
  writeSlices,
} from '../../../../src/drivers/kubernetes/gateway/gateway-slices.ts'
import { readEndpoint } from '../../../../src/drivers/kubernetes/host/endpoint-service.ts'
import { pausePlane } from '../../../../src/drivers/kubernetes/lifecycle/pause-plane.ts'
import { OPERATOR_GATEWAY_LABELS } from '../../../../src/manifests/object-names.ts'
import { FakeCluster } from '../fake-cluster.ts'

const SPEC: UserSpec = { idle: '30m', wake: { by: 'any' } }
const PLACE = { name: 'dev', namespace: 'team-a' }
const PORT = 20_000

/** A declared plane that sleeps at the gateway of its operator. */
async function sleepingPlane() {
  const cluster = new FakeCluster()
  const { api } = cluster
  const operation = cluster.operation()
  const { signal } = operation
  await cluster.create('dev', { userSpec: SPEC, declaredBy: 'a ControlPlane' })
  const before = await readEndpoint(api, PLACE, signal)
  expect.assert(before !== undefined)
  await writeSlices(api, before, { port: PORT, pods: [], signal })
  await leadToGateway(api, PLACE, { port: PORT, pods: OPERATOR_GATEWAY_LABELS, signal })
  const idle = { since: cluster.time, isStill: async () => true }
  await pausePlane(cluster.driverContext(), await cluster.stored('dev'), { ...operation, idle })
  const stored = await cluster.stored('dev')
  const plane = { ...stored.record, driver: 'kubernetes' } as const
  const slices = () => listSlices(api, PLACE, signal)
  return { cluster, before, operation, plane, slices, stored }
}

test('does not count it as a change that an endpoint leads to the gateway', async () => {
  const { cluster, operation, plane, stored } = await sleepingPlane()
  const change = changedSpec(plane, SPEC)

  const { steps } = await planChange(cluster.driverContext(), stored, { change, ...operation })

  expect(steps).toEqual([])
})

test('stays with the gateway while its spec is changed', async () => {
  const { before, cluster, operation, plane, slices, stored } = await sleepingPlane()
  const change = changedSpec(plane, { ...SPEC, apiServer: { goGc: 60 } })

  await changePlane(cluster.driverContext(), stored, { change, operation })

  expect(await slices()).toHaveLength(1)
  // Its pods are missing, so the slice alone has addresses.
  const endpoint = await readEndpoint(cluster.api, PLACE, operation.signal)
  expect(endpoint?.['spec']).toEqual(before['spec'])
  expect(cluster.recordOf('dev')).toMatchObject({
    desired: 'paused',
    idleSince: expect.any(String),
  })
})

test('leaves the gateway when no ControlPlane declares it any more', async () => {
  const { cluster, operation, plane, slices } = await sleepingPlane()
  const paused = await cluster.changeRecord('dev', { idleSince: undefined })
  const change = changedSpec(plane, SPEC, { declaredBy: null })

  await changePlane(cluster.driverContext(), paused, { change, operation })

  expect(await slices()).toEqual([])
})
