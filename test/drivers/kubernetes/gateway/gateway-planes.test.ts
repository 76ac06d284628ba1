import { expect, test } from 'vitest'
import {
  forgetAtGateway,
  readGatewayPlanes,
  setGatewayState,
} from '../../../../src/drivers/kubernetes/gateway/gateway-planes.ts'
import { gatewayOf, planesName, wakesName } from '../../../../src/manifests/gateway-records.ts'
import { GATEWAY_NAME } from '../../../../src/manifests/object-names.ts'
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
