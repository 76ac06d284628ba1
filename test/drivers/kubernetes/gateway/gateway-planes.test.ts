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
import { namespaceRoute } from '../../../../src/drivers/kubernetes/gateway/gateway-route.ts'
import { gatewayOf, planesName, wakesName } from '../../../../src/manifests/gateway-records.ts'
import { GATEWAY_NAME, objectName } from '../../../../src/manifests/object-names.ts'
import { Turns } from '../../../../src/shared/concurrency/turns.ts'
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

test('lets two planes tell the gateway their states at once', async () => {
  let [open, most] = [0, 0]
  const { api } = new FakeCluster({
    onRequest: async () => {
      most = Math.max(most, (open += 1))
      await setImmediate()
      open -= 1
    },
  })
  putObject(api, ['ConfigMap', { name: planesName(GATEWAY_NAME) }])
  const turns = new Turns({ atOnce: 2 })
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`)

  const told = names.map((name) =>
    namespaceRoute(api, { id: name, name, namespace: 'team-a' }, turns).tell('asleep', signal),
  )
  const ports = (await Promise.all(told)).map(({ port }) => port)

  expect(most).toBe(2)
  expect(new Set(ports).size).toBe(20)
})
