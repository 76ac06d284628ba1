import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { sharingFindings } from '../../../../src/drivers/kubernetes/preflight/sharing-findings.ts'
import { addRecord } from '../../../../src/drivers/kubernetes/record/record-store.ts'
import { refusal } from '../../../support/api/memory-host-api.ts'
import { planeRecordOf } from '../plane-record-of.ts'
import { HostWithRules } from './host-with-rules.ts'

const { signal } = new AbortController()
const SYNCED: UserSpec = { sync: {} }
const OWN = { 'app.kubernetes.io/managed-by': 'vplane', 'vplane.dev/name': 'dev' }
const POD_OF_DEV = {
  'app.kubernetes.io/managed-by': 'vplane-syncer',
  'vplane.dev/synced-by': 'dev',
}

test.for([
  ['nothing', []],
  [
    'what every namespace has',
    [thing('ConfigMap', 'kube-root-ca.crt'), thing('ServiceAccount', 'default')],
  ],
  ['what only governs it', [thing('ResourceQuota', 'team'), thing('ServiceAccount', 'ci')]],
  [
    'what is left of the plane itself',
    [thing('Secret', 'vplane-dev-ca', OWN), thing('Pod', 'web-x-default-x-dev', POD_OF_DEV)],
  ],
] as const)('accepts a plane that runs pods in a namespace with %s', async ([, objects]) => {
  expect(await look(hostWith(objects), SYNCED)).toEqual([])
})

test('refuses a plane that runs pods where its syncer could read objects of others', async () => {
  const host = hostWith([
    thing('Pod', 'web'),
    thing('Secret', 'tls'),
    thing('Secret', 'password'),
    thing('ConfigMap', 'settings'),
  ])

  const findings = await look(host, SYNCED)

  expect(findings).toEqual([
    {
      subject: 'namespace',
      level: 'problem',
      message:
        '"team-a" has objects that are not of "dev", and a syncer can read every Secret of its namespace: ConfigMap "settings", Pod "web", Secret "tls" and 1 more',
      hint: [
        { purpose: 'another namespace', namespace: 'vplane-dev' },
        { purpose: 'or to share it', shareNamespace: true },
      ],
    },
  ])
  expect(host.writes).toEqual([])
})

test('refuses a plane that runs pods beside other planes, and names them', async () => {
  const host = hostWith([thing('Secret', 'vplane-prod-ca', { ...OWN, 'vplane.dev/name': 'prod' })])
  await addPlane(host, 'prod', {})

  const [finding, ...others] = await look(host, SYNCED)

  expect(finding?.message).toMatch(/: plane "prod"$/)
  expect(others).toEqual([])
})

test('refuses any plane beside one that runs pods', async () => {
  const host = hostWith([])
  await addPlane(host, 'prod', SYNCED)

  expect(await look(host, {})).toEqual([
    {
      subject: 'namespace',
      level: 'problem',
      message:
        'the plane "prod" in "team-a" runs pods: its syncer can read every Secret there, also those of "dev"',
      hint: [
        { purpose: 'another namespace', namespace: 'vplane-dev' },
        { purpose: 'or to share it', shareNamespace: true },
      ],
    },
  ])
})

test('accepts planes without pods in a shared namespace', async () => {
  const host = hostWith([thing('Secret', 'tls')])
  await addPlane(host, 'prod', {})

  expect(await look(host, {})).toEqual([])
})

test('checks only what the user may read', async () => {
  const host = hostWith([thing('Secret', 'tls'), thing('Pod', 'web')])
  host.hooks.onRequest = ({ path }) => {
    if (path.endsWith('/secrets') || path === '/api/v1/namespaces/team-a') {
      throw refusal(403, 'forbidden')
    }
  }

  const [finding] = await look(host, SYNCED)

  expect(finding?.message).toMatch(/: Pod "web"$/)
})

test('does not check a missing namespace', async () => {
  const host = new HostWithRules()

  expect(await look(host, SYNCED)).toEqual([])
  expect(host.requests).not.toContain('get /apis')
})

function look(api: HostWithRules, user: UserSpec) {
  const spec = resolveSpec(user, 'kubernetes')
  return sharingFindings(api, { name: 'dev', namespace: 'team-a', spec, signal })
}

/** A host with a namespace `team-a` that holds some objects of the core group. */
function hostWith(objects: readonly KubeObject[]): HostWithRules {
  const host = new HostWithRules().withTeam()
  const kinds = ['ConfigMap', 'Pod', 'ResourceQuota', 'Secret', 'ServiceAccount']
  const resources = kinds.map((kind) => ({
    name: resourceOf(kind),
    namespaced: true,
    verbs: ['list'],
  }))
  host.objects.set('/api/v1', {
    apiVersion: 'v1',
    kind: 'APIResourceList',
    metadata: {},
    resources,
  })
  for (const object of objects) {
    host.add(`/api/v1/namespaces/team-a/${resourceOf(object.kind)}`, object)
  }
  return host
}

function resourceOf(kind: string): string {
  return `${kind.toLowerCase()}s`
}

async function addPlane(host: HostWithRules, name: string, user: UserSpec): Promise<void> {
  const record = planeRecordOf(name, { spec: resolveSpec(user, 'kubernetes') })
  await addRecord(host, { name, namespace: 'team-a' }, { record, signal })
  host.requests.length = 0
}

function thing(kind: string, name: string, labels: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name, namespace: 'team-a', labels } }
}
