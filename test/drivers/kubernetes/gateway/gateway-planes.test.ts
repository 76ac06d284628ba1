import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  forgetAtGateway,
  readGatewayPlanes,
  setGatewayState,
} from '../../../../src/drivers/kubernetes/gateway/gateway-planes.ts'
import {
  leadToGateway,
  leadToPlane,
} from '../../../../src/drivers/kubernetes/gateway/endpoint-switch.ts'
import { GatewayStates } from '../../../../src/drivers/kubernetes/gateway/gateway-states.ts'
import { gatewayOf, planesName, wakesName } from '../../../../src/manifests/gateway-records.ts'
import { GATEWAY_NAME, objectName } from '../../../../src/manifests/object-names.ts'
import { FakeCluster, putObject } from '../fake-cluster.ts'

const gateway = gatewayOf('team-a')
const { signal } = new AbortController()

test('forgets planes that do not exist, but none that is created meanwhile', async () => {
  const { api } = new FakeCluster()
  putObject(api, ['ConfigMap', { name: planesName(GATEWAY_NAME) }])
  putObject(api, ['ConfigMap', { name: wakesName(GATEWAY_NAME) }])
  const add = (key: string) =>
    setGatewayState(api, { gateway, id: key, key }, { state: 'asleep', signal })
  await add('deleted')
  await add('old')
  const planes = new Set(['old'])
  let isFirst = true

  await forgetAtGateway(api, gateway, {
    existing: async () => {
      const found = new Set(planes)
      if (isFirst) {
        isFirst = false
        planes.add('new')
        await add('new')
      }
      return found
    },
    signal,
  })

  const known = await readGatewayPlanes(api, gateway, signal)
  expect([...known.planes.keys()]).toEqual(['old', 'new'])
})

test('gives planes the ports to which their endpoints lead, when their records were deleted', async () => {
  const { api } = new FakeCluster()
  const records = putObject(api, ['ConfigMap', { name: planesName(GATEWAY_NAME) }])
  const endpointOf = (name: string) => objectName(name, 'api')
  for (const name of ['one', 'two', 'three']) {
    putObject(api, ['Service', { name: endpointOf(name) }], {
      spec: { selector: { a: 'b' }, ports: [{ name: 'https', port: 443, targetPort: 'https' }] },
    })
  }
  const sleep = async (name: string) => {
    const plane = { gateway, id: name, key: name }
    const { port } = await setGatewayState(api, plane, { state: 'asleep', signal })
    await leadToGateway(api, { name, namespace: 'team-a' }, { port, signal })
    return port
  }
  const before = [await sleep('one'), await sleep('two')]
  api.remove(records)
  putObject(api, ['ConfigMap', { name: planesName(GATEWAY_NAME) }])

  expect([await sleep('two'), await sleep('one'), await sleep('three')]).toEqual([
    ...before.toReversed(),
    20_002,
  ])
})

test.for([20_000, 80])(
  'leads a plane away from the port %i, which is not its own',
  async (port) => {
    const { api } = new FakeCluster()
    const place = { name: 'dev', namespace: 'team-a' }
    const service = { name: objectName('dev', 'api') }
    const spec = {
      selector: { a: 'b' },
      ports: [{ name: 'https', port: 443, targetPort: 'https' }],
    }
    putObject(api, ['ConfigMap', { name: planesName(GATEWAY_NAME) }])
    putObject(api, ['Service', service], { spec })
    await setGatewayState(api, { gateway, id: 'other', key: 'other' }, { state: 'asleep', signal })
    await leadToGateway(api, place, { port, signal })

    const plane = { gateway, id: 'dev', key: 'dev' }
    const own = await setGatewayState(api, plane, { state: 'asleep', signal })
    await leadToGateway(api, place, { port: own.port, signal })

    const path = `/api/v1/namespaces/team-a/services/${service.name}`
    expect(own.port).toBe(20_001)
    expect(api.objects.get(path)?.['spec']).toMatchObject({ ports: [{ targetPort: 20_001 }] })
    await leadToPlane(api, place, signal)
    expect(api.objects.get(path)?.['spec']).toEqual(spec)
  },
)

test('writes the states of planes together that come while it writes, a few at a time', async () => {
  let [open, most, writes] = [0, 0, 0]
  const { api } = new FakeCluster({
    onRequest: async ({ verb }) => {
      writes += verb === 'patch' ? 1 : 0
      most = Math.max(most, (open += 1))
      await setImmediate()
      open -= 1
    },
  })
  putObject(api, ['ConfigMap', { name: planesName(GATEWAY_NAME) }])
  const states = new GatewayStates(api, gateway)
  const names = Array.from({ length: 40 }, (_, index) => `p${index}`)

  const told = await Promise.all(
    names.map((name) => states.set({ id: name, key: name }, 'asleep', signal)),
  )
  const again = await states.set({ id: 'p7', key: 'p7' }, 'awake', signal)

  expect(most).toBeLessThanOrEqual(1)
  expect(writes).toBeLessThanOrEqual(15)
  expect(new Set(told.map(({ plane: { port } }) => port)).size).toBe(40)
  expect(told.map(({ former }) => former)).toEqual(names.map(() => undefined))
  expect(again).toEqual({
    former: 'asleep',
    plane: { id: 'p7', state: 'awake', port: told[7]?.plane.port },
  })
  const { planes } = await readGatewayPlanes(api, gateway, signal)
  expect(planes.size).toBe(40)
  expect(planes.get('p8')).toEqual(told[8]?.plane)
})

test('tells none of some planes that the gateway is missing, and each of them later', async () => {
  const { api } = new FakeCluster()
  const states = new GatewayStates(api, gateway)
  const tell = () =>
    Promise.allSettled(['a', 'b'].map((key) => states.set({ id: key, key }, 'asleep', signal)))

  const before = await tell()
  putObject(api, ['ConfigMap', { name: planesName(GATEWAY_NAME) }])
  const after = await tell()

  expect(before.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(after.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
})
