import { expect, test } from 'vitest'
import { leadToGateway } from '../../../src/drivers/kubernetes/gateway/endpoint-switch.ts'
import { workloadPath } from '../../../src/drivers/kubernetes/observed/workloads.ts'
import { objectPath } from '../../../src/shared/kube/collections.ts'
import { Operated, operatedPlane, PLACE } from './operated-plane.ts'

const DAY_MS = 86_400_000
const HOURS_MS = DAY_MS - 3_600_000
const POLICY = objectPath('networkpolicies', { ...PLACE, name: 'vplane-dev-etcd-access' })

test('looks at a plane that runs without a request', async () => {
  await using operated = await operatedPlane()

  expect(await operated.look()).toEqual([])
  expect(operated.memory.phase).toBe('Ready')
})

test('looks at a plane that has paused itself without a request', async () => {
  await using operated = await operatedPlane()
  await pause(operated)
  await operated.look()

  expect(await operated.look()).toEqual([])
  expect(operated.memory.phase).toBe('Paused')
})

test('does not compare a plane that it has made, and of which nobody has changed anything', async () => {
  await using operated = await operatedPlane()

  operated.cluster.time = new Date(operated.cluster.time.getTime() + HOURS_MS)

  expect(await operated.look()).toEqual([])
})

test('does not compare a plane because vplane has paused and started it', async () => {
  await using operated = await operatedPlane()
  const { cluster, driver, seen } = operated
  await pause(operated)
  const [plane] = await seen.find('dev', PLACE)
  expect.assert(plane !== undefined && 'id' in plane)
  await driver.start(plane, cluster.operation())

  cluster.time = new Date(cluster.time.getTime() + 3_600_000)

  expect(await operated.look()).toEqual([])
  cluster.time = new Date(cluster.time.getTime() + DAY_MS)
  expect(await operated.look()).not.toEqual([])
})

test('does not compare a plane because a watch told of an operation after that of its change', async () => {
  await using operated = await operatedPlane()
  const { cluster } = operated
  const at = cluster.time.toISOString()
  const map = objectPath('configmaps', { ...PLACE, name: 'vplane-dev-etcd' })
  cluster.time = new Date(cluster.time.getTime() + 60_000)

  await cluster.api.patch(map, { data: { changed: 'true' } }, { type: 'merge' })
  const journal = { operation: 'maintain', step: 'changing it', at, holder: 'another' } as const
  await cluster.changeRecord('dev', { journal })
  await cluster.changeRecord('dev', { journal: undefined })
  cluster.time = new Date(cluster.time.getTime() + 3_600_000)

  expect(await operated.look()).toEqual([])
})

test('does not compare a plane because its endpoint leads to a gateway', async () => {
  await using operated = await operatedPlane()
  const { cluster, host } = operated
  await leadToGateway(host, PLACE, { port: 20_000, signal: operated.signal })

  cluster.time = new Date(cluster.time.getTime() + HOURS_MS)

  expect(await operated.look()).toEqual([])
})

test.for(['no JSON', 'null', '{"selector":{"app":1}}'])(
  'survives an object with an annotation that vplane did not write: %s',
  async (annotation) => {
    await using operated = await operatedPlane()
    const { api } = operated.cluster
    const annotations = { 'vplane.dev/when-awake': annotation }
    for (const [resource, name] of [
      ['services', 'vplane-dev-api'],
      ['configmaps', 'vplane-dev-etcd'],
    ] as const) {
      const path = objectPath(resource, { ...PLACE, name })
      await api.patch(path, { metadata: { annotations } }, { type: 'merge' })
      await api.patch(path, { metadata: { labels: { again: 'true' } } }, { type: 'merge' })
    }

    await operated.look()
    expect(operated.memory.phase).toBe('Ready')

    operated.cluster.time = new Date(operated.cluster.time.getTime() + HOURS_MS)
    await operated.host.delete(POLICY)

    expect(await operated.look()).not.toEqual([])
  },
)

test('puts back at once what someone deletes of a plane', async () => {
  await using operated = await operatedPlane()
  const { api } = operated.cluster
  expect(api.objects.has(POLICY)).toBe(true)
  operated.cluster.time = new Date(operated.cluster.time.getTime() + HOURS_MS)

  api.remove(POLICY)
  await operated.look()

  expect(api.objects.has(POLICY)).toBe(true)
})

test('compares a plane with objects that it does not watch every ten minutes', async () => {
  await using operated = await operatedPlane()
  await operated.cluster.changeRecord('dev', { collections: ['/apis/example.com/v1/widgets'] })

  operated.cluster.time = new Date(operated.cluster.time.getTime() + 600_000)

  expect(await operated.look()).not.toEqual([])
})

test('compares a paused plane with objects that it does not watch once a day', async () => {
  await using operated = await operatedPlane()
  const { cluster } = operated
  await pause(operated)
  await cluster.changeRecord('dev', { collections: ['/apis/example.com/v1/widgets'] })
  cluster.time = new Date(cluster.time.getTime() + 600_000)
  await operated.look()

  cluster.time = new Date(cluster.time.getTime() + HOURS_MS)
  expect(await operated.look()).toEqual([])

  cluster.time = new Date(cluster.time.getTime() + DAY_MS)
  expect(await operated.look()).not.toEqual([])
})

test('reads no Secret with credentials of a plane that stays paused', async () => {
  await using operated = new Operated()
  const credentials = { ci: { user: 'ci', lifetime: '1h' } }
  await operated.declare({ idle: '1h', credentials })
  await pause(operated)
  await operated.look()

  expect(await operated.look()).toEqual([])
})

test('sees at once that a component of a plane has ended', async () => {
  await using operated = await operatedPlane()

  const path = workloadPath(PLACE, 'kube-apiserver')
  await operated.cluster.api.patch(path, { spec: { replicas: 0 } }, { type: 'merge' })
  await operated.look()

  expect(operated.memory.phase).toBe('NotReady')
})

async function pause({ cluster, driver, seen }: Operated): Promise<void> {
  const [plane] = await seen.find('dev', PLACE)
  expect.assert(plane !== undefined && 'id' in plane)
  const idle = { since: cluster.time, isStill: async () => true }
  await driver.pause(plane, cluster.operation(), { idle })
}
