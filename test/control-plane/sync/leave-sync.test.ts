import { expect, test } from 'vitest'
import { deleteControlledPods, leaveSync } from '../../../src/control-plane/sync/leave-sync.ts'
import { prepareSync, revokeSync } from '../../../src/control-plane/sync/prepare-sync.ts'
import { ListingApi } from './listing-api.ts'

const { signal } = new AbortController()
const VIRTUAL = { labels: { 'vplane.dev/virtual': 'true' } }
const OWNED = { ownerReferences: [{ kind: 'Job', controller: true }] }

test('deletes what represents the host, and leaves what users created', async () => {
  const api = new ListingApi()
  const gone = [
    api.add('pods', 'web-1', { spec: { nodeName: 'node-1' } }),
    api.add('nodes', 'node-1', { metadata: VIRTUAL }),
    api.add('storageclasses', 'default', { metadata: VIRTUAL }),
  ]
  const kept = [
    api.add('pods', 'waiting'),
    api.add('nodes', 'mine'),
    api.add('persistentvolumes', 'data', { metadata: VIRTUAL }),
  ]

  await leaveSync(api, signal)

  expect(gone.filter((path) => api.objects.has(path))).toEqual([])
  expect(kept.filter((path) => !api.objects.has(path))).toEqual([])
})

test('shows no load balancer any more', async () => {
  const api = new ListingApi()
  const status = { loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } }
  const path = api.add('services', 'web', { status })
  api.put(`${path}/status`, { apiVersion: 'v1', kind: 'Status', metadata: {} })

  await leaveSync(api, signal)

  expect(api.objects.get(`${path}/status`)).toMatchObject({ status: { loadBalancer: null } })
})

test('returns once the controllers have noticed that no pod runs', async () => {
  const api = new ListingApi()
  const path = api.add('deployments', 'web', { status: { readyReplicas: 1 } })
  let hasReturned = false

  const leaving = leaveSync(api, signal).then(() => (hasReturned = true))
  await expect.poll(() => api.calls.length).toBeGreaterThan(0)
  const early = hasReturned
  api.objects.delete(path)
  await leaving

  expect(early).toBe(false)
})

test('deletes pods of controllers that do not run any more, with the finalizer of Jobs', async () => {
  const api = new ListingApi()
  const finalizers = ['batch.kubernetes.io/job-tracking', 'example.com/mine']
  const pod = api.add('pods', 'load-1', { metadata: { ...OWNED, finalizers } })
  const bare = api.add('pods', 'alone')

  await deleteControlledPods(api, signal)

  expect(api.calls.filter((call) => /^(patch|delete)/.test(call))).toEqual([
    `patch ${pod}`,
    `delete ${pod}`,
  ])
  expect(api.objects.has(bare)).toBe(true)
})

test('takes back what it granted, and keeps the ranges', async () => {
  const api = new ListingApi()
  await prepareSync(api, { ranges: { host: '10.96.0.0/16', own: '10.96.7.8/29' }, signal })

  await revokeSync(api, signal)

  expect([...api.objects.keys()]).toEqual(['/apis/networking.k8s.io/v1/servicecidrs/vplane-host'])
})
