import { expect, test } from 'vitest'
import { quotaFindings } from '../../../../src/drivers/kubernetes/preflight/quota-findings.ts'
import { trialPod } from '../../../../src/drivers/kubernetes/preflight/admission/try-out.ts'
import { claimsOf, surgeOf, workloadsOf } from '../../../../src/drivers/kubernetes/host/workload.ts'
import type { Finding } from '../../../../src/control-plane/status/finding.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { devManifests } from './dev-manifests.ts'

/** Of a size that presets do not change. */
const SIZED: UserSpec = {
  storage: { size: '2Gi' },
  etcd: sized('20m', '48Mi', '256Mi'),
  apiServer: sized('50m', '192Mi', '768Mi'),
  controllerManager: sized('10m', '64Mi', '256Mi'),
}

const PLACE = { namespace: 'team-a', hostContext: 'kind' }

test.for([
  // 3 pods, and one more of kube-apiserver while a new version rolls out.
  ['pods', '4', '3', '4 needed (1 of it for rolling updates), 3 of 3 left'],
  ['count/pods', '4', '3', '4 needed (1 of it for rolling updates)'],
  [
    'requests.cpu',
    '130m',
    '129m',
    '130m needed (50m of it for rolling updates), 129m of 129m left',
  ],
  ['cpu', '130m', '0.1', '130m needed'],
  ['limits.memory', '2Gi', '2047Mi', '2Gi needed (768Mi of it for rolling updates)'],
  ['requests.memory', '496Mi', '495Mi', '496Mi needed'],
  ['persistentvolumeclaims', '1', '0', '1 needed, 0 of 0 left'],
  ['requests.storage', '2Gi', '1Gi', '2Gi needed, 1Gi of 1Gi left'],
  ['standard.storageclass.storage.k8s.io/requests.storage', '2Gi', '1Gi', '2Gi needed'],
  ['standard.storageclass.storage.k8s.io/persistentvolumeclaims', '1', '0', '1 needed'],
  ['count/statefulsets.apps', '1', '0', '1 needed'],
  ['count/replicasets.apps', '2', '1', '2 needed'],
  ['count/controllerrevisions.apps', '1', '0', '1 needed'],
] as const)('counts what a plane needs of %s', ([resource, enough, little, message]) => {
  expect(judge({ hard: { [resource]: enough } })).toEqual([])
  expect(judge({ hard: { [resource]: little } })).toMatchObject([
    { subject: 'quota "team"', level: 'problem', message: expect.stringContaining(message) },
  ])
})

test.for([
  ['Service', 'services'],
  ['Service', 'count/services'],
  ['Service', 'count/endpointslices.discovery.k8s.io'],
  ['ConfigMap', 'configmaps'],
  ['Secret', 'count/secrets'],
  ['NetworkPolicy', 'count/networkpolicies.networking.k8s.io'],
] as const)('counts each %s of a plane for %s', ([kind, resource]) => {
  const count = devManifests().filter((manifest) => manifest.kind === kind).length

  expect(judge({ hard: { [resource]: String(count) } })).toEqual([])
  expect(judge({ hard: { [resource]: String(count - 1) } })).toMatchObject([{ level: 'problem' }])
})

test.for([
  'services.nodeports',
  'services.loadbalancers',
  'requests.nvidia.com/gpu',
  'fast.storageclass.storage.k8s.io/requests.storage',
  'count/jobs.batch',
])('needs no %s', (resource) => {
  expect(judge({ hard: { [resource]: '0' } })).toEqual([])
})

test.for([
  ['node-port', 'services.nodeports'],
  ['load-balancer', 'services.nodeports'],
  ['load-balancer', 'services.loadbalancers'],
] as const)('counts what exposing by %s needs: %s', ([type, resource]) => {
  expect(judge({ hard: { [resource]: '0' } }, { expose: { type } })).toMatchObject([
    { level: 'problem', message: `${resource}: 1 needed, 0 of 0 left` },
  ])
})

test('counts the usage of others', () => {
  const quota = { hard: { pods: '10' }, used: { pods: '8' } }

  expect(judge(quota)).toEqual([
    {
      subject: 'quota "team"',
      level: 'problem',
      message: 'pods: 4 needed (1 of it for rolling updates), 2 of 10 left',
      hint: `kubectl --context kind -n team-a patch resourcequota team --type merge -p '{"spec":{"hard":{"pods":"12"}}}'`,
    },
  ])
})

test('adds up containers that run together', () => {
  const sized = (name: string, memory: string) => ({ name, resources: { requests: { memory } } })
  const containers = [sized('a', '100Mi'), sized('b', '28Mi')]
  const beside = { ...sized('proxy', '128Mi'), restartPolicy: 'Always' }
  const messageOf = (initContainers: object[]) => {
    const spec = { containers, initContainers }
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec }
    return quotaFindings([quotaOf({ hard: { memory: '0' } })], [{ object }], PLACE)[0]?.message
  }

  expect(messageOf([])).toBe('memory: 128Mi needed, 0 of 0 left')
  expect(messageOf([beside])).toBe('memory: 256Mi needed, 0 of 0 left')
  expect(messageOf([beside, sized('first', '1Gi')])).toBe('memory: 1Gi needed, 0 of 0 left')
})

test.for([
  [{ scopes: ['BestEffort'] }, 0],
  [{ scopes: ['NotBestEffort'] }, 1],
  [{ scopes: ['NotTerminating'] }, 1],
  [{ scopes: ['Terminating'] }, 0],
  [{ scopeSelector: priority('In', 'high') }, 1],
  [{ scopeSelector: priority('In', 'low') }, 0],
  [{ scopeSelector: priority('NotIn', 'low') }, 1],
  [{ scopeSelector: priority('Exists') }, 1],
  [{ scopeSelector: priority('DoesNotExist') }, 0],
  [{ scopes: ['OfALaterVersion'] }, 0],
] as const)('counts only the pods in the scope of a quota: %j', ([selector, count]) => {
  const user = { pods: { priorityClassName: 'high' } }

  expect(judge({ hard: { pods: '0', services: '0' } }, user, selector)).toHaveLength(count)
})

function sized(cpu: string, memory: string, limit: string) {
  return { resources: { requests: { cpu, memory }, limits: { memory: limit } } }
}

function priority(operator: string, ...values: string[]) {
  return { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] }
}

interface Status {
  hard: Record<string, string>
  used?: Record<string, string>
}

function judge(status: Status, user: UserSpec = {}, selector: object = {}): Finding[] {
  const manifests = devManifests({ ...SIZED, ...user })
  const workloads = workloadsOf(manifests)
  const claims = claimsOf(workloads).map((claim) => ({
    ...claim,
    spec: { ...claim.spec, storageClassName: 'standard' },
  }))
  const coming = [
    ...workloads.map((workload) => ({ object: trialPod(workload), surge: surgeOf(workload) })),
    ...[...claims, ...manifests].map((object) => ({ object })),
  ]
  return quotaFindings([quotaOf(status, selector)], coming, PLACE)
}

function quotaOf(status: Status, selector: object = {}): KubeObject {
  const spec = { hard: status.hard, ...selector }
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'team' }, spec, status }
}
