import { expect, test } from 'vitest'
import { collectDebug } from '../../../src/control-plane/use-cases/collect-debug.ts'
import { FakeComposition } from '../../support/fake-composition.ts'
import { FakeDriver } from '../../support/fake-driver.ts'

const OPTIONS = { name: 'dev', tail: 100, signal: new AbortController().signal }

async function planeWith(driver = new FakeDriver()) {
  const world = new FakeComposition({ drivers: [driver] })
  await world.plane('dev', { driver })
  return { driver, world }
}

test('collects status, logs, the health of the API and what the driver keeps', async () => {
  const { world } = await planeWith()

  const { files, missing } = await collectDebug(world, OPTIONS)

  expect(missing).toEqual([])
  expect(files.map(({ path }) => path)).toEqual([
    'plane.yaml',
    'status.json',
    'fake.txt',
    'logs/etcd.log',
    'logs/kube-apiserver.log',
    'logs/kube-controller-manager.log',
    'api/livez.txt',
    'api/readyz.txt',
    'api/version.json',
  ])
  expect(files.find(({ path }) => path === 'logs/etcd.log')?.text).toContain('etcd has started')
})

test('says what cannot be had, and collects the rest', async () => {
  const { driver, world } = await planeWith()
  driver.debugFiles = () => Promise.reject(new Error('no right to'))

  const { files, missing } = await collectDebug(world, OPTIONS)

  expect(missing).toEqual(['what the driver keeps: no right to'])
  expect(files.at(-1)).toEqual({
    path: 'missing.txt',
    text: 'what the driver keeps: no right to\n',
  })
  expect(files.map(({ path }) => path)).toContain('logs/etcd.log')
})
