import { expect, test } from 'vitest'
import type { LimitRange } from '../../../../../src/drivers/kubernetes/preflight/capacity/limit-range.ts'
import { withDefaults } from '../../../../../src/drivers/kubernetes/preflight/capacity/limit-range.ts'
import {
  claimViolations,
  podViolations,
} from '../../../../../src/drivers/kubernetes/preflight/capacity/limit-violations.ts'
import { podDemandOf } from '../../../../../src/drivers/kubernetes/preflight/capacity/pod-demand.ts'
import type { Container, Workload } from '../../../../../src/drivers/kubernetes/host/workload.ts'

const SMALL = { requests: { cpu: '20m', memory: '48Mi' }, limits: { memory: '256Mi' } }

test.for([
  [{ max: { memory: '256Mi' } }, []],
  [
    { max: { memory: '200Mi' } },
    [
      'limits.memory is 256Mi, at most 200Mi is allowed',
      '--set etcd.resources.limits.memory=200Mi',
    ],
  ],
  [
    { max: { cpu: '1' } },
    ['it has no limits.cpu, at most 1 is allowed', '--set etcd.resources.limits.cpu=1'],
  ],
  [{ min: { cpu: '20m' } }, []],
  [
    { min: { cpu: '0.1' } },
    ['requests.cpu is 20m, at least 0.1 is asked', '--set etcd.resources.requests.cpu=0.1'],
  ],
  [
    { min: { 'ephemeral-storage': '1Gi' } },
    ['it has no requests.ephemeral-storage', '--set etcd.resources.requests.ephemeral-storage=1Gi'],
  ],
  [
    { maxLimitRequestRatio: { memory: '4' } },
    ['limits.memory is 256Mi, at most 4 times its request of 48Mi', 'limits.memory=48Mi'],
  ],
  [{ maxLimitRequestRatio: { memory: '6' } }, []],
] as const)('judges a container as the host does: %j', ([rule, expected]) => {
  const found = podViolations(demandOf(SMALL), [range({ type: 'Container', ...rule })])

  expect(found).toHaveLength(expected.length === 0 ? 0 : 1)
  const [message, hint] = expected
  expect(found[0]?.message ?? '').toContain(message ?? '')
  expect(found[0]?.hint ?? '').toContain(hint ?? '')
})

test('says which container, of what, by which LimitRange', () => {
  const found = podViolations(demandOf(SMALL), [
    range({ type: 'Container', max: { memory: '1Mi' } }),
  ])

  expect(found[0]?.message).toBe(
    'container "etcd" of StatefulSet "vplane-dev-etcd": its limits.memory is 256Mi, at most 1Mi is allowed by LimitRange "team"',
  )
})

test('adds up the containers of a pod', () => {
  const pod = range({ type: 'Pod', max: { memory: '300Mi' } })

  expect(podViolations(demandOf(SMALL), [pod])).toEqual([])
  expect(podViolations(demandOf(SMALL, SMALL), [pod])[0]?.message).toContain(
    'a pod of StatefulSet "vplane-dev-etcd": its limits.memory is 512Mi',
  )
})

test('gives a container what it does not name, and keeps what it does', () => {
  const rule = {
    type: 'Container',
    default: { cpu: '2', memory: '1Gi' },
    defaultRequest: { cpu: '500m', memory: '512Mi' },
  }
  const container: Container = { name: 'etcd', resources: { limits: { memory: '256Mi' } } }

  expect(withDefaults(container, [range(rule)]).resources).toEqual({
    limits: { cpu: '2', memory: '256Mi' },
    requests: { cpu: '500m', memory: '256Mi' },
  })
})

test.for([
  [{ max: { storage: '1Gi' } }, 'its requests.storage is 2Gi, at most 1Gi is allowed', '1Gi'],
  [{ min: { storage: '5Gi' } }, 'its requests.storage is 2Gi, at least 5Gi is asked', '5Gi'],
] as const)('judges volumes: %j', ([rule, message, size]) => {
  const claim = { name: 'data-0', storageClassName: undefined, requests: { storage: '2Gi' } }

  expect(claimViolations(claim, [range({ type: 'PersistentVolumeClaim', ...rule })])).toEqual([
    {
      message: `volume "data-0": ${message} by LimitRange "team"`,
      hint: `--storage-size ${size}`,
    },
  ])
})

function range(...limits: object[]): LimitRange {
  return { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'team' }, spec: { limits } }
}

function demandOf(...resources: ReadonlyArray<Container['resources']>) {
  const workload: Workload = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'vplane-dev-etcd', labels: { 'vplane.dev/component': 'etcd' } },
    spec: {
      template: {
        spec: {
          containers: resources.map((one) => ({ name: 'etcd', ...(one && { resources: one }) })),
        },
      },
    },
  }
  return podDemandOf(workload, { ranges: [], pods: [] })
}
