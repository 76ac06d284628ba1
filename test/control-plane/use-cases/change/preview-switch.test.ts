import { expect, test } from 'vitest'
import { changeControlPlane } from '../../../../src/control-plane/use-cases/change/change-control-plane.ts'
import { worldWithPlane } from '../../../support/driver/world-with-plane.ts'

const OPTIONS = {
  name: 'dev',
  isConfirmed: false,
  isDryRun: true,
  timeoutMs: 2000,
  signal: new AbortController().signal,
}
const LIST = { apiVersion: 'v1', kind: 'List', metadata: {} }

const itemsOf = (names: readonly string[], fields: object) => ({
  ...LIST,
  items: names.map((name) => ({ metadata: { name, namespace: 'default' }, ...fields })),
})

test('shows the Services with other addresses, and the first workloads that start', async () => {
  const { world } = await worldWithPlane({ driver: { name: 'kubernetes' } })
  const [plane] = [...world.driver.planes.values()]
  const names = Array.from({ length: 22 }, (_, index) => `web-${index}`)
  plane?.api.objects.set('/apis/apps/v1/deployments', itemsOf(names, {}))
  plane?.api.objects.set(
    '/api/v1/services',
    itemsOf(['kubernetes'], { spec: { clusterIP: '10.96.0.1' } }),
  )
  const why = 'is not in 10.99.0.0/16'
  world.driver.pods.answer = { lost: [{ name: 'default/web', address: '10.96.3.4', why }] }

  const { steps } = await changeControlPlane(world, () => ({ sync: {} }), OPTIONS)

  expect(steps).toMatchObject([
    { action: 'restart-component' },
    { action: 'readdress-services', services: ['default/kubernetes', 'default/web'] },
    { action: 'start-pods', workloads: { length: 22 } },
  ])
  const printed = world.ui.notes.slice(-25)
  expect(printed.slice(0, 5)).toEqual([
    'Services that get another address:',
    '  default/kubernetes: 10.96.0.1 is replaced by the address of the endpoint',
    '  default/web: 10.96.3.4 is not in 10.99.0.0/16',
    'Workloads whose pods start:',
    '  Deployment default/web-0, 1 pod',
  ])
  expect(printed.at(-1)).toBe('  and 2 more')
  expect(world.openClients).toBe(0)
})

test('shows the pods that stop, those that are lost, and the claims whose data stays', async () => {
  const { world } = await worldWithPlane({ driver: { name: 'kubernetes' }, spec: { sync: {} } })
  const [plane] = [...world.driver.planes.values()]
  plane?.api.objects.set('/api/v1/pods', itemsOf(['alone'], { spec: { nodeName: 'node-1' } }))
  world.driver.pods.claims = ['default/data']

  const off = () => ({ sync: { enabled: false } })
  const { steps } = await changeControlPlane(world, off, OPTIONS)

  expect(steps[0]).toEqual({ action: 'stop-pods', pods: ['default/alone'] })
  expect(world.ui.notes.slice(-6)).toEqual([
    'Pods that stop:',
    '  default/alone',
    'Pods that are deleted for good, because no controller creates them again:',
    '  default/alone',
    'Claims whose data stays on the host, for when the plane runs pods again:',
    '  default/data',
  ])
})
