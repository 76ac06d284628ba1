import { expect, test } from 'vitest'
import { type ClusterStatus, formatStatus } from './cluster-status.ts'

const STATUS: ClusterStatus = {
  record: { name: 'h1', nodeCount: 2, version: '1.36.3' },
  server: 'https://10.99.1.10:6443',
  kubeconfig: '/lab/h1/admin.kubeconfig',
  processes: { etcd: true, 'h1-0-kubelet': true },
}

test('says that all of a cluster runs, and where it is', () => {
  expect(formatStatus([STATUS])).toBe(`h1: Kubernetes 1.36.3, 2 nodes, running
  server      https://10.99.1.10:6443
  kubeconfig  /lab/h1/admin.kubeconfig
`)
})

test('names what does not run', () => {
  const text = formatStatus([{ ...STATUS, processes: { etcd: true, 'h1-0-kubelet': false } }])

  expect(text).toContain('2 nodes, not running: h1-0-kubelet\n')
})

test('says so when there are no clusters', () => {
  expect(formatStatus([])).toBe('no clusters\n')
})
