import { expect, test } from 'vitest'
import { capacityFindings } from '../../../../../src/drivers/kubernetes/preflight/capacity/capacity-findings.ts'
import { claimsOf, workloadsOf } from '../../../../../src/drivers/kubernetes/host/workload.ts'
import type { Finding } from '../../../../../src/control-plane/status/finding.ts'
import type { UserSpec } from '../../../../../src/control-plane/spec/spec.ts'
import type { HostObject } from '../../../../../src/drivers/kubernetes/host/host-api.ts'
import { devManifests } from '../dev-manifests.ts'

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
  expect(judge({ hard: { [resource]: enough } })).toMatchObject([{ level: 'ok' }])
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

  expect(judge({ hard: { [resource]: String(count) } })).toMatchObject([{ level: 'ok' }])
  expect(judge({ hard: { [resource]: String(count - 1) } })).toMatchObject([{ level: 'problem' }])
})

test.for([
  'services.nodeports',
  'services.loadbalancers',
  'requests.nvidia.com/gpu',
  'fast.storageclass.storage.k8s.io/requests.storage',
  'count/jobs.batch',
])('needs no %s', (resource) => {
  expect(judge({ hard: { [resource]: '0' } })).toMatchObject([{ level: 'ok' }])
})

test.for([
  ['node-port', 'services.nodeports'],
  ['load-balancer', 'services.nodeports'],
  ['load-balancer', 'services.loadbalancers'],
] as const)('counts what it takes to expose by %s: %s', ([type, resource]) => {
  expect(judge({ hard: { [resource]: '0' } }, { expose: { type } })).toMatchObject([
    { level: 'problem', message: `${resource}: 1 needed, 0 of 0 left` },
  ])
})

test('counts what others use', () => {
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

test('does not count twice what is there of the plane already', () => {
  const [etcd] = workloadsOf(devManifests())
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { labels: etcd?.metadata.labels ?? {} } }
  const quota = { hard: { pods: '4' }, used: { pods: '1' } }

  expect(judge(quota, {}, [pod])).toMatchObject([{ level: 'ok' }])
  expect(judge(quota, {}, [{ ...pod, status: { phase: 'Failed' } }])).toMatchObject([
    { level: 'problem' },
  ])
})

test('names the containers that have to say how much, and takes what LimitRanges say for them', () => {
  const quota = { hard: { 'limits.cpu': '10' } }
  const range = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'team' },
    spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] },
  }

  const [finding] = judge(quota)
  expect(finding?.message).toContain('StatefulSet "vplane-dev-etcd" has to name limits.cpu; ')
  expect(finding?.hint).toContain('--set etcd.resources.limits.cpu=QUANTITY --set apiServer.')
  expect(judge(quota, {}, [], [range])).toMatchObject([{ level: 'ok' }])
})

test.for([
  [{ scopes: ['BestEffort'] }, 'ok'],
  [{ scopes: ['NotBestEffort'] }, 'problem'],
  [{ scopes: ['NotTerminating'] }, 'problem'],
  [{ scopes: ['Terminating'] }, 'ok'],
  [{ scopeSelector: priority('In', 'high') }, 'problem'],
  [{ scopeSelector: priority('In', 'low') }, 'ok'],
  [{ scopeSelector: priority('NotIn', 'low') }, 'problem'],
  [{ scopeSelector: priority('Exists') }, 'problem'],
  [{ scopeSelector: priority('DoesNotExist') }, 'ok'],
  [{ scopes: ['OfALaterVersion'] }, 'ok'],
] as const)('counts only the pods that a quota is about: %j', ([selector, level]) => {
  const user = { pods: { priorityClassName: 'high' } }

  expect(judge({ hard: { pods: '0', services: '0' } }, user, [], [], selector)).toMatchObject([
    { level },
  ])
})

test('says what the user may not see', () => {
  const coming = { manifests: [], objects: [], claims: [] }
  const unseen = { ranges: undefined, quotas: undefined, pods: undefined }

  expect(capacityFindings(unseen, coming, PLACE)).toEqual([
    { subject: 'limits', level: 'ok', message: 'you may not see LimitRanges' },
    { subject: 'quota', level: 'ok', message: 'you may not see ResourceQuotas' },
  ])
})

function sized(cpu: string, memory: string, limit: string) {
  return { resources: { requests: { cpu, memory }, limits: { memory: limit } } }
}

function priority(operator: string, ...values: string[]) {
  return { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] }
}

function judge(
  status: { hard: Record<string, string>; used?: Record<string, string> },
  ...[user = {}, pods = [], ranges = [], selector = {}]: [
    user?: UserSpec,
    pods?: readonly HostObject[],
    ranges?: readonly HostObject[],
    selector?: object,
  ]
): Finding[] {
  const manifests = devManifests({ ...SIZED, ...user })
  const claims = claimsOf(workloadsOf(manifests)).map((claim) => ({
    ...claim,
    storageClassName: 'standard',
  }))
  const spec = { hard: status.hard, ...selector }
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'team' },
    spec,
    status,
  }
  const coming = { manifests, objects: manifests, claims }
  return capacityFindings({ ranges, pods, quotas: [quota] }, coming, PLACE)
}
