import { expect, test } from 'vitest'
import {
  monitorFindings,
  refuseWithoutMonitors,
} from '../../../../src/drivers/kubernetes/host/monitor-kind.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const GROUP = '/apis/monitoring.coreos.com/v1'
const OPTIONS = { signal: new AbortController().signal }
const MONITOR = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: { name: 'vplane-dev-keeper' },
}
const SERVICE = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'vplane-dev-keeper' } }

test('sends no request without ServiceMonitors', async () => {
  const api = new MemoryHostApi()

  expect(await monitorFindings(api, [SERVICE], OPTIONS)).toEqual([])
  expect(api.requests).toEqual([])
})

test('reports no problem of a host with them', async () => {
  const api = hostWith('prometheuses', 'servicemonitors')

  expect(await monitorFindings(api, [MONITOR], OPTIONS)).toEqual([])
  await refuseWithoutMonitors(api, [MONITOR], OPTIONS)
})

test.for([undefined, ['podmonitors']])('reports what a host with %j lacks', async (resources) => {
  const api = resources === undefined ? new MemoryHostApi() : hostWith(...resources)
  const message = expect.stringContaining('the host has no ServiceMonitor')

  expect(await monitorFindings(api, [SERVICE, MONITOR], OPTIONS)).toEqual([
    {
      subject: 'monitoring',
      level: 'problem',
      message,
      hint: expect.arrayContaining([expect.objectContaining({ serviceMonitor: false })]),
    },
  ])
  expect(await rejectionOf(refuseWithoutMonitors(api, [MONITOR], OPTIONS))).toMatchObject({
    code: 'FAILED',
    message,
  })
})

test('reports no problem when the user may not read the resources', async () => {
  const api = new MemoryHostApi(refusing(403, 'you may not look'))

  expect(await monitorFindings(api, [MONITOR], OPTIONS)).toEqual([])
})

function hostWith(...resources: string[]): MemoryHostApi {
  const api = new MemoryHostApi()
  api.objects.set(GROUP, {
    apiVersion: 'v1',
    kind: 'APIResourceList',
    metadata: {},
    resources: resources.map((name) => ({ name })),
  })
  return api
}
