import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { prepareSync } from '../../../src/control-plane/sync/prepare-sync.ts'
import { MemoryApi } from '../../support/api/memory-api.ts'

async function prepared(): Promise<Map<string, KubeObject>> {
  const api = new MemoryApi()
  const ranges = { host: '10.96.0.0/16', own: '10.96.7.8/29' }
  await prepareSync(api, { ranges, signal: AbortSignal.timeout(5000) })
  return api.objects
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

test("lets Services of the plane have the host's cluster IPs", async () => {
  const applied = await prepared()

  expect(applied.get('/apis/networking.k8s.io/v1/servicecidrs/vplane-host')).toMatchObject({
    spec: { cidrs: ['10.96.0.0/16'] },
  })
})

test.for([
  ['vplane:syncer', 'system:vplane:syncer'],
  ['vplane:dns', 'system:vplane:dns'],
] as const)('binds %s to its own user, and to no group', async ([name, user]) => {
  const applied = await prepared()

  expect(applied.get(`${RBAC}/clusterrolebindings/${name}`)).toMatchObject({
    roleRef: { kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name: user }],
  })
})

test('tells what the components ask for from what users do', async () => {
  const applied = await prepared()

  expect(
    applied.get('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/vplane-components'),
  ).toMatchObject({
    spec: {
      rules: [
        {
          subjects: [
            { kind: 'User', user: { name: 'system:vplane:syncer' } },
            { kind: 'User', user: { name: 'system:vplane:dns' } },
          ],
        },
      ],
    },
  })
})

test('lets nobody do everything, or change who may do what', async () => {
  const applied = await prepared()
  const roles = [...applied.values()].filter(({ kind }) => kind === 'ClusterRole')
  const text = JSON.stringify(roles.map((role) => role['rules']))

  expect(roles).toHaveLength(3)
  expect(text).not.toContain('*')
  expect(text).not.toMatch(/rbac|"roles"|"bind"|escalate|impersonate|certificates/)
})

test('lets the syncer offer metrics, under their own names alone', async () => {
  const applied = await prepared()
  const rules = applied.get(`${RBAC}/clusterroles/vplane:syncer`)?.['rules']
  const limited = [rules].flat().filter((rule) => Object(rule)['resourceNames'] !== undefined)

  expect(limited).toMatchObject([
    { resources: ['services'], resourceNames: ['vplane-metrics'] },
    { resources: ['apiservices'], resourceNames: ['v1beta1.metrics.k8s.io'] },
  ])
})

test('lets everyone who may view the plane see its metrics', async () => {
  const applied = await prepared()

  expect(applied.get(`${RBAC}/clusterroles/vplane:metrics-reader`)).toMatchObject({
    metadata: { labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
    rules: [{ apiGroups: ['metrics.k8s.io'], verbs: ['get', 'list'] }],
  })
})
