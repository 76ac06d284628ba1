import { expect, test } from 'vitest'
import {
  addressesInPlane,
  runningPods,
  startingWorkloads,
} from '../../../src/control-plane/sync/plane-workloads.ts'
import { ListingApi } from './listing-api.ts'

const { signal } = new AbortController()
const OWNED = { ownerReferences: [{ kind: 'ReplicaSet', controller: true }] }

test('lists the workloads that start pods, and none that others own, or that have ended', async () => {
  const api = new ListingApi()
  api.add('deployments', 'web', { spec: { replicas: 3 } })
  api.add('deployments', 'off', { spec: { replicas: 0 } })
  api.add('replicasets', 'web-1', { metadata: OWNED, spec: { replicas: 3 } })
  api.add('statefulsets', 'db')
  api.add('daemonsets', 'logs')
  api.add('jobs', 'load', { spec: { parallelism: 2 } })
  api.add('jobs', 'done', { status: { conditions: [{ type: 'Complete', status: 'True' }] } })
  api.add('jobs', 'later', { spec: { suspend: true } })
  api.add('cronjobs', 'nightly')
  api.add('pods', 'alone')
  api.add('pods', 'ended', { status: { phase: 'Succeeded' } })

  expect(await startingWorkloads(api, signal)).toEqual([
    'Deployment default/web, 3 pods',
    'StatefulSet default/db, 1 pod',
    'DaemonSet default/logs, a pod on each node',
    'Job default/load, 2 pods',
    'CronJob default/nightly, by its schedule',
    'Pod default/alone, 1 pod',
  ])
})

test('lists the pods that run, and those that no controller creates again', async () => {
  const api = new ListingApi()
  const spec = { nodeName: 'node-1' }
  api.add('pods', 'web-1', { metadata: OWNED, spec })
  api.add('pods', 'alone', { spec })
  api.add('pods', 'waiting')
  api.add('pods', 'ended', { spec, status: { phase: 'Failed' } })

  expect(await runningPods(api, signal)).toEqual({
    all: ['default/web-1', 'default/alone'],
    bare: ['default/alone'],
  })
})

test('lists the addresses of Services that have one', async () => {
  const api = new ListingApi()
  api.add('services', 'web', { spec: { clusterIP: '10.96.3.4' } })
  api.add('services', 'db', { spec: { clusterIP: 'None' } })
  api.add('services', 'elsewhere', { spec: { type: 'ExternalName' } })

  expect(await addressesInPlane(api, signal)).toEqual([
    { name: 'default/web', address: '10.96.3.4' },
  ])
})
