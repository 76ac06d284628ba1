import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { parseQuery } from '../../../src/syncer/kubelet/requests/parse-query.ts'
import { CpuCounters } from '../../../src/syncer/metrics/cpu-counters.ts'
import { type FigureOptions, figurePages } from '../../../src/syncer/metrics/figure-pages.ts'
import { refusal } from '../../support/api/memory-host-api.ts'
import { nodeOf, TIME, usageOf } from './some-usage.ts'

const NODE = nodeOf('worker-7')
const STARTED = '2026-06-01T11:00:00Z'

/** A pod that runs, with what it uses. */
function running(name: string, options: Parameters<typeof usageOf>[1] = {}) {
  const usage = usageOf(name, options)
  const containerStatuses = [{ name: 'app', state: { running: { startedAt: STARTED } } }]
  const pod: KubeObject = { ...usage.pod, status: { startTime: STARTED, containerStatuses } }
  return { ...usage, pod }
}

async function pageOf(path: string, options: Partial<FigureOptions> = {}, query = '') {
  const errors: unknown[] = []
  const pages = figurePages(
    { name: 'worker-7', port: 10_300 },
    {
      nodes: { get: () => NODE },
      plane: { create: () => Promise.reject(new Error('nobody else reads')) },
      readUsage: async () => [running('web'), running('other', { node: 'worker-8' })],
      counters: new CpuCounters(),
      isLeading: () => true,
      askLeader: () => Promise.reject(new Error('nobody is to be asked')),
      onError: (_, error) => errors.push(error),
      ...options,
    },
  )
  const signal = AbortSignal.timeout(5000)
  const answer = await pages[path]?.answer({ query: parseQuery(query), signal })
  return { ...answer, errors }
}

test('says what is used on a node as kubelets do, in the text that Prometheus reads', async () => {
  const { body, contentType } = await pageOf('/metrics/resource')
  const at = Date.parse(TIME)

  expect(contentType).toContain('text/plain')
  expect(body?.split('\n').filter((line) => !line.startsWith('#'))).toEqual([
    `container_cpu_usage_seconds_total{container="app",namespace="default",pod="web"} 0.001 ${at}`,
    `container_memory_working_set_bytes{container="app",namespace="default",pod="web"} 67108864 ${at}`,
    `container_start_time_seconds{container="app",namespace="default",pod="web"} ${Date.parse(STARTED) / 1000} ${at}`,
    `pod_cpu_usage_seconds_total{namespace="default",pod="web"} 0.001 ${at}`,
    `pod_memory_working_set_bytes{namespace="default",pod="web"} 67108864 ${at}`,
    `node_cpu_usage_seconds_total 0.001 ${at}`,
    `node_memory_working_set_bytes 67108864 ${at}`,
    'resource_scrape_error 0',
    '',
  ])
})

test('says nothing of a node on which nothing was measured', async () => {
  const { body } = await pageOf('/metrics/resource', { readUsage: async () => [] })

  expect(body).toMatch(/^(#.*\n)*resource_scrape_error 0\n$/)
})

test('summarizes a node as kubelets do', async () => {
  const { body = '' } = await pageOf('/stats/summary')
  const cpu = { time: '2026-06-01T12:00:00.000Z', usageNanoCores: 250_000_000 }
  const memory = { workingSetBytes: 67_108_864 }

  expect(JSON.parse(body)).toMatchObject({
    node: { nodeName: 'worker-7', cpu, memory },
    pods: [
      {
        podRef: { name: 'web', namespace: 'default', uid: 'uid-web' },
        startTime: STARTED,
        containers: [{ name: 'app', startTime: STARTED, cpu, memory }],
      },
    ],
  })
})

test('asks the syncer that counts when it is not the one', async () => {
  const asked: unknown[] = []
  const answer = await pageOf('/metrics/resource', {
    isLeading: () => false,
    askLeader: async (kubelet) => {
      asked.push(kubelet)
      return { status: 200, body: 'much' }
    },
  })

  expect(asked).toEqual([{ port: 10_300, path: '/metrics/resource?leader' }])
  expect(answer).toMatchObject({ status: 200, body: 'much', contentType: /text\/plain/ })
})

test('asks nobody in turn when another syncer asks it', async () => {
  const answer = await pageOf('/metrics/resource', { isLeading: () => false }, 'leader')

  expect(answer).toMatchObject({ status: 503, errors: [] })
})

test('says that the host has no metrics, and not how it said that', async () => {
  const error = refusal(403, 'User "system:serviceaccount:team-a:x" cannot list pods')
  const answer = await pageOf('/stats/summary', { readUsage: () => Promise.reject(error) })

  const body = 'the host cluster has no metrics now'
  expect(answer).toEqual({ status: 503, body, errors: [error] })
})
