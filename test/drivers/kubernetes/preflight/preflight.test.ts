import type { Hint } from '../../../../src/shared/hint.ts'
import { expect, test } from 'vitest'
import type { Finding } from '../../../../src/control-plane/status/finding.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import {
  hostVersionFindings,
  preflight,
} from '../../../../src/drivers/kubernetes/preflight/preflight.ts'
import { manifestInputOf } from '../../../manifests/manifest-input-of.ts'
import type { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { objectOf } from '../fake-cluster.ts'
import { devManifests } from './dev-manifests.ts'
import { HostWithRules } from './host-with-rules.ts'

const SIDECAR = { name: 'beside', resources: { limits: { cpu: '1' } } }
const LARGE_VOLUME = 'maximum storage usage per PersistentVolumeClaim is 1Mi, but request is 2Gi'

test.for([
  {},
  { preset: 'ha' },
  { ephemeral: true },
  { expose: { type: 'ingress', host: 'a.b' } },
] as const)('finds no problem on a host that has room: %j', async (user) => {
  expect(await look(new HostWithRules().withTeam(), user)).toEqual([])
})

test('changes nothing', async () => {
  const host = new HostWithRules().withTeam()
  const before = [...host.objects.keys()]

  await look(host, { expose: { type: 'node-port' } })

  expect([...host.objects.keys()]).toEqual(before)
  expect(host.writes.filter((request) => !request.startsWith('create '))).toEqual([])
})

test('reports all findings together', async () => {
  const host = new HostWithRules({
    rules: [{ verbs: ['get', 'list'], apiGroups: ['*'], resources: ['*'] }],
    refuses: ({ kind }) =>
      kind === 'Pod'
        ? [403, 'pods "x" is forbidden: no PriorityClass with name high was found']
        : [403, `${kind} "x" is forbidden: ${LARGE_VOLUME}`],
  }).withTeam()
  host.objects.delete('/apis/storage.k8s.io/v1/storageclasses/standard')
  host.add('/api/v1/namespaces/team-a/services', objectOf('Service', { name: 'vplane-dev-api' }))
  addQuota(host, { pods: '0' })

  const problems = (await look(host)).filter(({ level }) => level === 'problem')

  expect(problems.map(({ subject }) => subject)).toEqual([
    'rights',
    'names',
    'storage',
    'quota "team"',
    'priority class',
    'limits',
  ])
  expect(problems.every(({ hint }) => hint !== undefined)).toBe(true)
})

test('tries pods as the workloads create them, and what exposes them', async () => {
  const host = new HostWithRules().withTeam()

  await look(host, { expose: { type: 'node-port' } })

  expect(host.tried.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Pod vplane-dev-etcd-preflight',
    'Pod vplane-dev-kube-apiserver-preflight',
    'Pod vplane-dev-kube-controller-manager-preflight',
    'PersistentVolumeClaim data-vplane-dev-etcd-0',
    'Service vplane-dev-api',
  ])
  const volume = { name: 'data', persistentVolumeClaim: { claimName: 'data' } }
  expect(host.tried[0]).toMatchObject({
    metadata: { labels: { 'vplane.dev/component': 'etcd' } },
    spec: { volumes: expect.arrayContaining([volume]) },
  })
})

test('does not try what exposes a plane that is exposed already', async () => {
  const host = new HostWithRules().withTeam()
  const user = { expose: { type: 'node-port' } } as const
  for (const manifest of devManifests(user).filter(({ kind }) => kind === 'Service')) {
    host.add('/api/v1/namespaces/team-a/services', manifest)
  }

  expect(await look(host, user)).toEqual([])
  expect(host.tried.map(({ kind }) => kind)).toEqual(['Pod', 'Pod', 'Pod', 'PersistentVolumeClaim'])
})

test.for([
  ['pods: 4 needed', { pods: '0' }],
  ['requested: pods=1', { pods: '10' }],
] as const)('reports only once that a quota is too small: %s', async ([message, hard]) => {
  const host = new HostWithRules({
    refuses: () => [403, 'pods "x" is forbidden: exceeded quota: team, requested: pods=1'],
  }).withTeam()
  addQuota(host, hard)

  const problems = (await look(host)).filter(({ level }) => level === 'problem')

  expect(problems).toMatchObject([
    { subject: 'quota "team"', message: expect.stringContaining(message) },
  ])
})

test('reports what containers must set under a quota beside what the quota lacks', async () => {
  const why = 'pods "x" is forbidden: failed quota: team: must specify limits.cpu for: x'
  const host = new HostWithRules({
    refuses: ({ kind }) => (kind === 'Pod' ? [403, why] : undefined),
  }).withTeam()
  addQuota(host, { pods: '0' })

  expect(await look(host)).toMatchObject([
    { message: expect.stringContaining('pods: 4 needed') },
    {
      message: 'must specify limits.cpu for: x',
      hint: [{ set: 'etcd.resources.limits.cpu=QUANTITY' }],
    },
  ])
})

test.for([
  [{ pods: { priorityClassName: 'high' } }, 'no PriorityClass with name high was found', 1],
  [{}, 'unable to validate against any security context constraint: []', 0],
] as const)(
  'finds further problems when a part of a pod is refused first: %j',
  async ([user, why, said]) => {
    const host = new HostWithRules({
      refuses: ({ kind, spec }) => {
        const { priorityClassName, securityContext } = Object(spec)
        const isWhole =
          Object.keys(user).length > 0 ? priorityClassName : securityContext?.runAsUser
        const limits = 'maximum cpu usage per Container is 1.  No limit is specified'
        return kind === 'Pod'
          ? [403, `pods "x" is forbidden: ${isWhole === undefined ? limits : why}`]
          : undefined
      },
    }).withTeam()

    const findings = await look(host, user)

    expect(findings.filter(({ subject }) => subject === 'priority class')).toHaveLength(said)
    expect(findings.filter(({ subject }) => subject === 'limits')).toMatchObject([
      { message: expect.stringMatching(/^etcd: maximum/), hint: setLimit('etcd') },
      { message: expect.stringMatching(/^kube-apiserver: maximum/), hint: setLimit('apiServer') },
      { hint: setLimit('controllerManager') },
    ])
  },
)

test('counts what the host adds to pods, and not existing objects of the plane', async () => {
  const host = new HostWithRules({
    adds: ({ kind }) => (kind === 'Pod' ? { spec: { containers: [SIDECAR] } } : {}),
  }).withTeam()
  addQuota(host, { 'limits.cpu': '3' })

  expect(await look(host, { ephemeral: true })).toMatchObject([
    { message: 'limits.cpu: 4 needed (1 of it for rolling updates), 3 of 3 left' },
  ])
  const [etcd] = devManifests({ ephemeral: true }).filter(({ kind }) => kind === 'StatefulSet')
  host.add('/apis/apps/v1/namespaces/team-a/statefulsets', etcd ?? expect.fail())
  expect(await look(host, { ephemeral: true })).toEqual([])
})

test('fails when the host does not respond', async () => {
  const host = new HostWithRules()
  const signal = AbortSignal.abort(new Error('stopped'))

  await expect(look(host, {}, signal)).rejects.toThrow('stopped')
})

function setLimit(path: string): Hint[] {
  return [{ set: `${path}.resources.limits.cpu=1` }]
}

function addQuota(host: HostWithRules, hard: Record<string, string>): void {
  const quota = { ...objectOf('ResourceQuota', { name: 'team' }), status: { hard } }
  host.add('/api/v1/namespaces/team-a/resourcequotas', quota)
}

function look(
  api: MemoryHostApi,
  user: UserSpec = {},
  signal = new AbortController().signal,
): Promise<Finding[]> {
  return preflight({
    api,
    name: 'dev',
    namespace: 'team-a',
    spec: manifestInputOf(user).spec,
    manifests: devManifests(user),
    createNamespace: true,
    shareNamespace: false,
    signal,
  })
}

test.for([
  ['v1.33.0', 'warning', 'Kubernetes v1.33.0: vplane is tested with hosts of 1.34 to 1.37'],
  ['v1.27.16', 'warning', 'Kubernetes v1.27.16: vplane is tested with hosts of 1.34 to 1.37'],
  ['v1.26.9', 'problem', 'Kubernetes v1.26.9 is too old: 1.27 or later is needed'],
] as const)('reports a host of version %s', ([gitVersion, level, message]) => {
  expect(judge(gitVersion)).toMatchObject([{ level, message }])
})

test.for([['v1.36.3'], ['v1.34.5-gke.1080000'], ['v1.99.0+k3s1'], ['something']])(
  'accepts a host of version %s',
  ([gitVersion]) => {
    expect(judge(gitVersion)).toEqual([])
  },
)

test('accepts a host that reports no version', () => {
  expect(hostVersionFindings(undefined)).toEqual([])
})

function judge(gitVersion: string | undefined) {
  return hostVersionFindings({ apiVersion: '', kind: '', metadata: {}, gitVersion })
}
