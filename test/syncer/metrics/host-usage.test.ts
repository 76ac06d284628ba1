import { expect, test } from 'vitest'
import { httpStatusOf } from '../../../src/kube/kube-error.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { ObjectCache } from '../../../src/kube/cache/object-cache.ts'
import { recordAt } from '../../../src/shared/json-fields.ts'
import { hostUsage, sumOf, toPodUsages } from '../../../src/syncer/metrics/host-usage.ts'
import { MemoryHostApi, refusal } from '../../support/api/memory-host-api.ts'
import { rejectionOf } from '../../support/thrown-by.ts'
import { cacheOf } from '../engine/some-caches.ts'
import { hostOf, SCOPE } from '../translate/some-objects.ts'
import { podOf, TIME } from './some-usage.ts'

const LIST = 'list /apis/metrics.k8s.io/v1beta1/namespaces/team-a/pods'

function readerOf(api: MemoryHostApi, maxAgeMs?: number) {
  const none = new ObjectCache(api, '/none')
  const pods = { virtual: none, host: none }
  return hostUsage({ host: api, scope: SCOPE, pods, ...(maxAgeMs !== undefined && { maxAgeMs }) })
}

test('asks the host once for all who ask at about the same time', async () => {
  const api = new MemoryHostApi()
  const read = readerOf(api)

  await Promise.all([read(), read()])
  await read()

  expect(api.requests).toEqual([LIST])
})

test('asks again when the answer is old', async () => {
  const api = new MemoryHostApi()
  const read = readerOf(api, -1)

  await read()
  await read()

  expect(api.requests).toEqual([LIST, LIST])
})

test('says how the host failed, and asks it again', async () => {
  const statuses = [404, 503]
  const api = new MemoryHostApi({
    onRequest: () => {
      const status = statuses.shift()
      if (status !== undefined) {
        throw refusal(status, 'no metrics')
      }
    },
  })
  const read = readerOf(api)

  expect(httpStatusOf(await rejectionOf(read()))).toBe(404)
  expect(httpStatusOf(await rejectionOf(read()))).toBe(503)
  expect(await read()).toEqual([])
})

/** The usage of pods of which the host says this. */
async function usagesOf(given: Record<'host' | 'virtual' | 'metrics', KubeObject[]>) {
  const pods = { virtual: await cacheOf(...given.virtual), host: await cacheOf(...given.host) }
  return toPodUsages({ scope: SCOPE, pods }, given.metrics)
}

const hostPodOf = (virtual: KubeObject) =>
  hostOf(virtual, { spec: { ...recordAt(virtual, 'spec'), nodeName: 'worker-7' } })

const metricsOf = (host: KubeObject, containers: object[]): KubeObject => ({
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  // As metrics-server has it: no annotations.
  metadata: { name: host.metadata.name ?? '', namespace: 'team-a' },
  timestamp: TIME,
  window: '15.1s',
  containers,
})

const usage = (cpu: string, memory: string) => ({ usage: { cpu, memory } })

test('says of the virtual pod what the host says of its own', async () => {
  const web = podOf('web', { containers: ['app', 'log'] })
  const host = hostPodOf(web)

  const metrics = metricsOf(host, [
    { name: 'app', ...usage('1234567n', '20Mi') },
    { name: 'log', ...usage('2m', '1048576') },
  ])

  const usages = await usagesOf({ virtual: [web], host: [host], metrics: [metrics] })

  expect(usages).toEqual([
    {
      pod: web,
      node: 'worker-7',
      timestamp: TIME,
      window: '15.1s',
      containers: [
        { name: 'app', nanoCores: 1_234_567, memoryBytes: 20 * 2 ** 20 },
        { name: 'log', nanoCores: 2_000_000, memoryBytes: 2 ** 20 },
      ],
    },
  ])
  expect(sumOf(usages[0]?.containers ?? [])).toEqual({
    nanoCores: 3_234_567,
    memoryBytes: 21 * 2 ** 20,
  })
})

test('leaves out what is not of the plane', async () => {
  const web = podOf('web')
  const host = hostPodOf(web)
  const foreign = hostPodOf(podOf('other'))
  const unmarked = { ...foreign, metadata: { ...foreign.metadata, annotations: {} } }
  const one = [{ name: 'app', ...usage('1m', '1Mi') }]
  const withSidecar = [...one, { name: 'proxy-of-the-host', ...usage('1', '1Gi') }]

  const names = async (metrics: KubeObject, ...pods: KubeObject[]) => {
    const usages = await usagesOf({ virtual: [web], host: pods, metrics: [metrics] })
    return usages.flatMap(({ containers }) => containers.map(({ name }) => name))
  }

  expect(await names(metricsOf(host, withSidecar), host)).toEqual(['app'])
  expect(await names(metricsOf(host, withSidecar.slice(1)), host)).toEqual([])
  expect(await names(metricsOf(unmarked, one), unmarked)).toEqual([])
  expect(await names(metricsOf(foreign, one), foreign)).toEqual([])
  expect(await names(metricsOf(host, one))).toEqual([])
})

test('shows no container of the host whose name a user has taken', async () => {
  const web = podOf('web')
  const ephemeralContainers = [{ name: 'proxy-of-the-host' }]
  const virtual = { ...web, spec: { ...recordAt(web, 'spec'), ephemeralContainers } }
  const host = hostPodOf(podOf('web', { containers: ['app', 'proxy-of-the-host'] }))
  const used = ['app', 'proxy-of-the-host'].map((name) => ({ name, ...usage('1m', '1Mi') }))

  const [found] = await usagesOf({
    virtual: [virtual],
    host: [host],
    metrics: [metricsOf(host, used)],
  })

  expect(found?.containers.map(({ name }) => name)).toEqual(['app'])
})

test('takes nothing of an earlier pod for that of a later one of its name', async () => {
  const host = hostPodOf(podOf('web', { uid: 'before' }))
  const metrics = [metricsOf(host, [{ name: 'app', ...usage('1m', '1Mi') }])]

  const virtual = [podOf('web', { uid: 'after' })]
  expect(await usagesOf({ virtual, host: [host], metrics })).toEqual([])
})
