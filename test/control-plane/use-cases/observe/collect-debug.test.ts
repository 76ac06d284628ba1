import { expect, test } from 'vitest'
import { collectDebug } from '../../../../src/control-plane/use-cases/observe/collect-debug.ts'
import { worldWithPlane } from '../../../support/driver/world-with-plane.ts'

const OPTIONS = { name: 'dev', tail: 100, signal: new AbortController().signal }

test('collects how a plane is, and what its driver keeps of it', async () => {
  const { driver, world } = await worldWithPlane()
  const etcd = { component: 'etcd', instance: 'etcd' } as const
  const fault = { ...etcd, reason: 'it hangs', remedy: 'restart' } as const
  driver.diagnoses = [{ faults: [fault] }]

  const { files, missing } = await collectDebug(world, OPTIONS)

  const textOf = (wanted: string) => files.find(({ path }) => path === wanted)?.text ?? ''
  expect(missing).toEqual([])
  expect(files.map(({ path }) => path)).toEqual([
    'plane.yaml',
    'status.json',
    'diagnosis.json',
    'etcd.json',
    'metrics.txt',
    'certificates.json',
    'fake.txt',
    'logs/etcd.log',
    'logs/kube-apiserver.log',
    'logs/kube-controller-manager.log',
    'api/livez.txt',
    'api/readyz.txt',
    'api/version.json',
  ])
  expect(textOf('logs/etcd.log')).toContain('etcd has started')
  expect(JSON.parse(textOf('diagnosis.json'))).toEqual({
    faults: [fault],
    steps: [{ action: 'restart-instance', instance: 'etcd' }],
  })
  expect(JSON.parse(textOf('etcd.json'))).toMatchObject({
    members: [{ instance: 'etcd', isLeading: true, alarms: [] }],
  })
  expect(textOf('metrics.txt')).toContain('vplane_kube_apiserver_ready{plane="dev"} 1\n')
  expect(textOf('certificates.json')).toContain('"expiresAt": "2027-01-01T')
})

test('has nothing of etcd where another store is', async () => {
  const { world } = await worldWithPlane({ spec: { store: { kine: { sqlite: {} } } } })

  const { files } = await collectDebug(world, OPTIONS)

  const paths = files.map(({ path }) => path)
  expect(paths.filter((path) => path.includes('etcd'))).toEqual([])
  expect(paths).toContain('logs/kine.log')
})

test('writes into its file why something cannot be collected, and collects the rest', async () => {
  const { driver, world } = await worldWithPlane()
  driver.debugFiles = () => Promise.reject(new Error('no right to'))
  driver.certificates.list = () => Promise.reject(new Error('no keys'))

  const { files, missing } = await collectDebug(world, OPTIONS)

  const why = ['the certificates: no keys', 'the records of the driver: no right to']
  expect(missing).toEqual(why)
  expect(files).toEqual(
    expect.arrayContaining([
      { path: 'certificates.json', text: `not collected: ${why[0]}\n` },
      { path: 'driver.txt', text: `not collected: ${why[1]}\n` },
      {
        path: 'metrics.txt',
        text: expect.stringMatching('^# not measured: certificates: no keys\n'),
      },
    ]),
  )
  expect(files.map(({ path }) => path)).toContain('logs/etcd.log')
})

test('reports that a paused plane cannot be diagnosed', async () => {
  const { driver, plane, world } = await worldWithPlane()
  await driver.pause(plane, { ui: world.ui, signal: OPTIONS.signal })

  const { files } = await collectDebug(world, OPTIONS)

  expect(driver.calls).not.toContain('diagnose dev')
  expect(files.find(({ path }) => path === 'diagnosis.json')?.text).toContain('"dev" is paused')
})

test('shows no token from a log', async () => {
  const { inside, world } = await worldWithPlane()
  inside.logs['kube-apiserver'].push('sent Bearer abcdefgh.ijkl to it\n')

  const { files } = await collectDebug(world, OPTIONS)

  const log = files.find(({ path }) => path === 'logs/kube-apiserver.log')?.text
  expect(log).toContain('sent Bearer (left out) to it\n')
})
