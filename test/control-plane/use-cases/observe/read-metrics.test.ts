import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import {
  readComponentMetrics,
  readMetrics,
} from '../../../../src/control-plane/use-cases/observe/read-metrics.ts'
import type { AnyComponentName } from '../../../../src/control-plane/plane/plane.ts'
import { formatMetrics } from '../../../../src/shared/text/format-metrics.ts'
import type { FakeComposition } from '../../../support/driver/fake-composition.ts'
import { worldWithPlane } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const OPTIONS = { name: 'dev', signal: new AbortController().signal }

async function metricsOf(world: FakeComposition): Promise<string> {
  return formatMetrics(await readMetrics(world, OPTIONS))
}

function componentMetrics(world: FakeComposition, component: AnyComponentName) {
  return readComponentMetrics(world, { ...OPTIONS, component })
}

test('measures a running plane', async () => {
  const { inside, world } = await worldWithPlane()
  inside.alarms = ['NOSPACE']

  const text = await metricsOf(world)

  expect(text).toContain('vplane_component_up{plane="dev",component="kube-apiserver"} 1\n')
  expect(text).toContain('vplane_kube_apiserver_ready{plane="dev"} 1\n')
  expect(text).toContain('vplane_etcd_alarm{plane="dev",member="etcd",alarm="NOSPACE"} 1\n')
  expect(text).toContain(
    'vplane_certificate_remaining_seconds{plane="dev",certificate="apiserver"} ',
  )
  expect(world.ui.warnings).toEqual([])
})

test('measures a plane without a credential, which would count as use of it', async () => {
  const { driver, world } = await worldWithPlane()
  driver.issueCredential = () => Promise.reject(new Error('nobody is to use it'))

  expect(await metricsOf(world)).toContain('vplane_kube_apiserver_ready{plane="dev"} 1\n')
})

test('reports what does not work of a plane that should run', async () => {
  const { inside, world } = await worldWithPlane()
  inside.crash('etcd')
  inside.api.isUp = false

  const text = await metricsOf(world)

  expect(text).toContain('vplane_component_up{plane="dev",component="etcd"} 0\n')
  expect(text).toContain('vplane_kube_apiserver_ready{plane="dev"} 0\n')
  expect(text).toContain('vplane_etcd_member_up{plane="dev",member="etcd"} 0\n')
})

test('sends no request to a paused plane, and still has its certificates', async () => {
  const { driver, plane, world } = await worldWithPlane()
  await driver.pause(plane, { ui: world.ui, signal: OPTIONS.signal })

  const text = await metricsOf(world)

  expect(text).toContain('vplane_component_up{plane="dev",component="etcd"} 0\n')
  expect(text).not.toContain('vplane_etcd_')
  expect(text).toContain('certificate="apiserver"')
  expect(world.ui.warnings).toEqual([])
})

test('warns of what cannot be measured, and measures the rest', async () => {
  const { driver, world } = await worldWithPlane()
  driver.metrics.etcd = () => Promise.reject(new Error('no right to'))

  const text = await metricsOf(world)

  expect(text).toContain('vplane_kube_apiserver_ready{plane="dev"} 1\n')
  expect(world.ui.warnings).toEqual(['etcd of "dev" cannot be measured: no right to'])
})

test('reports a component that sends no metrics in time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  using _ = { [Symbol.dispose]: () => void vi.useRealTimers() }
  const { driver, world } = await worldWithPlane()
  const asked = Promise.withResolvers<void>()
  driver.metrics.ofComponent = async (_plane, _component, signal) => {
    asked.resolve()
    await once(signal, 'abort')
    throw signal.reason
  }

  const reading = rejectionOf(componentMetrics(world, 'etcd'))
  await asked.promise
  vi.advanceTimersByTime(30_000)

  expect(await reading).toMatchObject({
    code: 'TIMED_OUT',
    message: 'no answer from etcd of "dev" within 30 s',
  })
})

test('passes the metrics of one component through', async () => {
  const { api, world } = await worldWithPlane()
  api.metrics = '# /metrics\n'

  expect(await componentMetrics(world, 'etcd')).toBe('# metrics of etcd\n')
  expect(await componentMetrics(world, 'kube-apiserver')).toBe('# /metrics\n')
})

test('has no metrics of the components of a paused plane', async () => {
  const { driver, plane, world } = await worldWithPlane()
  await driver.pause(plane, { ui: world.ui, signal: OPTIONS.signal })

  await expect(componentMetrics(world, 'etcd')).rejects.toMatchObject({
    code: 'FAILED',
    message: '"dev" is paused: it can only be measured while it runs',
  })
})

test('has no metrics of kine, and tells what has', async () => {
  const { world } = await worldWithPlane({ spec: { store: { kine: { sqlite: {} } } } })

  await expect(componentMetrics(world, 'kine')).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: '"dev" cannot be measured: its store is sqlite',
    hints: [expect.stringContaining('kube-apiserver')],
  })
})

test('lists the components of a plane that does not have the wanted one', async () => {
  const { world } = await worldWithPlane()

  await expect(componentMetrics(world, 'syncer')).rejects.toMatchObject({
    code: 'USAGE',
    message: '"dev" has no syncer',
    hints: expect.arrayContaining([expect.objectContaining({ component: 'etcd' })]),
  })
})
