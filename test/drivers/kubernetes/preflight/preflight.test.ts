import { expect, test } from 'vitest'
import type { Finding } from '../../../../src/control-plane/status/finding.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { preflight } from '../../../../src/drivers/kubernetes/preflight/preflight.ts'
import { manifestInputOf } from '../../../manifests/manifest-input-of.ts'
import type { MemoryHostApi } from '../../../support/memory-host-api.ts'
import { devManifests } from './dev-manifests.ts'
import { HostWithRules } from './host-with-rules.ts'

test.for([
  {},
  { preset: 'ha' },
  { ephemeral: true },
  { expose: { type: 'ingress', host: 'a.b' } },
] as const)('finds no problem on a host that has room: %j', async (user) => {
  const findings = await look(new HostWithRules().withTeam(), user)

  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([])
  expect(findings.map(({ subject }) => subject)).toEqual([
    'host version',
    'namespace',
    'pod security',
    'rights',
    'names',
    'storage',
  ])
})

test('touches nothing', async () => {
  const host = new HostWithRules().withTeam()
  const before = [...host.objects.keys()]

  await look(host, { expose: { type: 'node-port' } })

  expect([...host.objects.keys()]).toEqual(before)
  expect(host.writes.filter((request) => !request.startsWith('create '))).toEqual([])
})

test('finds everything at once', async () => {
  const host = new HostWithRules({
    rules: [{ verbs: ['get', 'list'], apiGroups: ['*'], resources: ['*'] }],
    refuses: ({ kind }) =>
      kind === 'Pod'
        ? [403, 'pods "x" is forbidden: no PriorityClass with name high was found']
        : undefined,
  }).withTeam()
  host.objects.delete('/apis/storage.k8s.io/v1/storageclasses/standard')
  host.add('/api/v1/namespaces/team-a/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'vplane-dev-api' },
  })
  host.add('/api/v1/namespaces/team-a/resourcequotas', {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'team' },
    status: { hard: { pods: '0' } },
  })
  host.add('/api/v1/namespaces/team-a/limitranges', {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'team' },
    spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '1Mi' } }] },
  })

  const problems = (await look(host)).filter(({ level }) => level === 'problem')

  expect(problems.map(({ subject }) => subject)).toEqual([
    'rights',
    'names',
    'storage',
    'limits',
    'quota "team"',
    'priority class',
  ])
  expect(problems.every(({ hint }) => hint !== undefined)).toBe(true)
})

test('tries pods as the workloads make them, and what leads to them from outside', async () => {
  const host = new HostWithRules().withTeam()

  await look(host, { expose: { type: 'node-port' } })

  expect(host.tried.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Pod vplane-dev-etcd-preflight',
    'Pod vplane-dev-kube-apiserver-preflight',
    'Pod vplane-dev-kube-controller-manager-preflight',
    'Service vplane-dev-api',
  ])
  expect(host.tried[0]).toMatchObject({
    metadata: { labels: { 'vplane.dev/component': 'etcd' } },
    spec: {
      volumes: expect.arrayContaining([
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      ]),
    },
  })
})

test('does not try the way in of a plane that has it', async () => {
  const host = new HostWithRules().withTeam()
  const user = { expose: { type: 'node-port' } } as const
  for (const manifest of devManifests(user).filter(({ kind }) => kind === 'Service')) {
    host.add('/api/v1/namespaces/team-a/services', manifest)
  }

  const findings = await look(host, user)

  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([])
  expect(host.tried.map(({ kind }) => kind)).toEqual(['Pod', 'Pod', 'Pod'])
})

test.for([
  ['pods: 4 needed', { pods: '0' }],
  ['requested: pods=1', { pods: '10' }],
] as const)('says once that a quota is too small: %s', async ([message, hard]) => {
  const host = new HostWithRules({
    refuses: () => [403, 'pods "x" is forbidden: exceeded quota: team, requested: pods=1'],
  }).withTeam()
  host.add('/api/v1/namespaces/team-a/resourcequotas', {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'team' },
    status: { hard },
  })

  const problems = (await look(host)).filter(({ level }) => level === 'problem')

  expect(problems).toMatchObject([
    { subject: 'quota "team"', message: expect.stringContaining(message) },
  ])
})

test('says when the host cannot be asked', async () => {
  const host = new HostWithRules()
  const signal = AbortSignal.abort(new Error('stopped'))

  await expect(look(host, {}, signal)).rejects.toThrow('stopped')
})

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
