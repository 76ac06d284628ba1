import { expect, test } from 'vitest'
import { hostServiceRange } from '../../../../src/drivers/kubernetes/host/host-service-range.ts'
import { MemoryHostApi, refusal } from '../../../support/api/memory-host-api.ts'

const CIDRS = '/apis/networking.k8s.io/v1/servicecidrs'

const list = (...cidrs: string[][]) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDRList',
  metadata: {},
  items: cidrs.map((one) => ({ spec: { cidrs: one } })),
})

const rangeOf = (api: MemoryHostApi) => hostServiceRange(api, 'team-a', AbortSignal.timeout(5000))

/** A host whose ranges the user may not read, and its refusal of an address outside of them. */
function hostThatSays(message: string): MemoryHostApi {
  return new MemoryHostApi({
    onRequest: ({ path, verb }) => {
      if (path === CIDRS) {
        throw refusal(403, 'servicecidrs is forbidden')
      }
      if (verb === 'create') {
        throw refusal(422, message)
      }
    },
  })
}

test.for([
  [[['10.96.0.0/16']], '10.96.0.0/16'],
  [[['fd00::/108', '10.43.0.0/16']], '10.43.0.0/16'],
  [[['fd00::/108'], ['10.43.0.0/16']], '10.43.0.0/16'],
] as const)('reads it if the user may: %j', async ([cidrs, range]) => {
  const api = new MemoryHostApi()
  api.put(CIDRS, list(...cidrs.map((one) => [...one])))

  expect(await rangeOf(api)).toBe(range)
})

test('reads it from a refusal, and stores nothing', async () => {
  const api = hostThatSays(
    'spec.clusterIPs: Invalid value: provided IP is not in the valid range. The range of valid IPs is 10.96.0.0/16',
  )

  expect(await rangeOf(api)).toBe('10.96.0.0/16')
  expect(api.objects.size).toBe(0)
})

test('tells how to set it when the host does not report it', async () => {
  await expect(rangeOf(hostThatSays('no'))).rejects.toMatchObject({
    code: 'FAILED',
    message: 'the host cluster does not report the range of its cluster IPs',
    hints: [{ set: 'sync.serviceRange=10.96.0.0/16' }],
  })
})
