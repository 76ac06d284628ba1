import { expect, test } from 'vitest'
import { deleteSlices, listSlices } from '../../../src/drivers/kubernetes/gateway/gateway-slices.ts'
import { GatewayStates } from '../../../src/drivers/kubernetes/gateway/gateway-states.ts'
import { readEndpoint } from '../../../src/drivers/kubernetes/host/endpoint-service.ts'
import { planesName } from '../../../src/manifests/gateway-records.ts'
import { objectLabels, OPERATOR_GATEWAY_LABELS } from '../../../src/manifests/object-names.ts'
import { FollowedSlices } from '../../../src/operator/gateway/followed-slices.ts'
import { operatorRoute } from '../../../src/operator/gateway/operator-route.ts'
import { fieldAt } from '../../../src/shared/json-fields.ts'
import { FakeCluster, putObject } from '../../drivers/kubernetes/fake-cluster.ts'
import { memoryClient } from '../../support/api/memory-client.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const GATEWAY = { name: 'gateway', namespace: 'team-a' }
const HOME = { app: 'kube-apiserver' }

function world() {
  const { api } = new FakeCluster()
  const { signal } = new AbortController()
  putObject(api, ['ConfigMap', { name: planesName(GATEWAY.name) }])
  const host = memoryClient(api)
  const slices = new FollowedSlices({ host, pods: async () => [], log: () => {} })
  const states = new GatewayStates(host, GATEWAY)
  const route = operatorRoute({ host, gateway: GATEWAY, slices, states }, { ...PLACE, id: '1' })
  const putEndpoint = () =>
    putObject(api, ['Service', { name: 'vplane-dev-api', labels: objectLabels('dev') }], {
      spec: { selector: HOME, ports: [{ name: 'https', port: 443, targetPort: 'https' }] },
    })
  const path = putEndpoint()
  const selector = async () => fieldAt(await readEndpoint(api, PLACE, signal), 'spec', 'selector')
  const countSlices = async () => (await listSlices(api, PLACE, signal)).length
  const recreate = async () => {
    await deleteSlices(api, PLACE, signal)
    api.remove(path)
    putEndpoint()
  }
  return { api, countSlices, recreate, route, selector, signal, slices }
}

test('leads to the gateway beside the plane at first, and until the host counts the plane as ready', async () => {
  const { countSlices, route, selector, signal } = world()
  const stop = new AbortController()

  await route.leadAway(20_000, signal)
  const away = [await selector(), await countSlices(), await route.isAway(signal)]
  const leading = route.leadBack(stop.signal)
  await expect.poll(selector).toEqual(HOME)
  const starting = [await countSlices(), await route.isAway(signal)]
  stop.abort()

  await expect(leading).rejects.toThrow('aborted')
  expect(away).toEqual([OPERATOR_GATEWAY_LABELS, 1, true])
  expect(starting).toEqual([1, true])
})

test('stays at the gateway when the plane falls asleep while it leads back', async () => {
  const { countSlices, route, selector, signal } = world()
  await route.leadAway(20_000, signal)
  const leading = route.leadBack(signal)
  await expect.poll(selector).toEqual(HOME)

  await route.leadAway(20_000, signal)
  await leading

  expect([await selector(), await countSlices()]).toEqual([OPERATOR_GATEWAY_LABELS, 1])
})

test('does not lead a plane to the gateway that was created again under its name', async () => {
  const { api, countSlices, recreate, route, signal, slices } = world()
  const stop = new AbortController()
  const following = slices.run(stop.signal)
  await route.leadAway(20_000, signal)
  await recreate()

  const before = api.requests.length
  slices.follow()
  await expect.poll(() => api.requests.length).toBeGreaterThan(before)
  stop.abort()
  await following

  expect(await countSlices()).toBe(0)
})
