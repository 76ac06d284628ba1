import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { sharingFindings } from '../../../../src/drivers/kubernetes/preflight/sharing-findings.ts'
import { addRecord } from '../../../../src/drivers/kubernetes/record/record-store.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { objectOf } from '../fake-cluster.ts'
import { planeRecordOf } from '../plane-record-of.ts'
import { HostWithRules } from './host-with-rules.ts'

const { signal } = new AbortController()
const SYNCED: UserSpec = { sync: {} }
const SYNCER = { 'app.kubernetes.io/managed-by': 'vplane-syncer', 'vplane.dev/synced-by': 'dev' }
const PROBLEM = {
  subject: 'namespace',
  level: 'problem',
  hint: [
    { purpose: 'another namespace', namespace: 'vplane-dev' },
    { purpose: 'or to share it', shareNamespace: true },
  ],
}
const GIVEN = [thing('ConfigMap', 'kube-root-ca.crt'), thing('ServiceAccount', 'default')]
const LEFT = [
  thing('Secret', 'vplane-dev-ca', objectLabels('dev')),
  thing('Pod', 'web-x-default-x-dev', SYNCER),
]

test.for([
  ['nothing', []],
  ['what every namespace has', GIVEN],
  ['what only governs it', [thing('ResourceQuota', 'team'), thing('ServiceAccount', 'ci')]],
  ['what is left of the plane itself', LEFT],
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

  expect(await look(host, SYNCED)).toEqual([
    {
      ...PROBLEM,
      message:
        '"team-a" has objects that are not of "dev", and a syncer can read every Secret of its namespace: ConfigMap "settings", Pod "web", Secret "tls" and 1 more',
    },
  ])
  expect(host.writes).toEqual([])
})

test('refuses a plane that runs pods beside other planes, and names them', async () => {
  const host = hostWith([thing('Secret', 'vplane-prod-ca', objectLabels('prod'))])
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
      ...PROBLEM,
      message:
        'the plane "prod" in "team-a" runs pods: its syncer can read every Secret there, also those of "dev"',
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
  const hidden = /\/secrets$| \/api\/v1\/namespaces\/team-a$/
  Object.assign(host.hooks, refusing(403, 'forbidden', hidden))

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
  const names = ['ConfigMap', 'Pod', 'ResourceQuota', 'Secret', 'ServiceAccount'].map(resourceOf)
  const resources = names.map((name) => ({ name, namespaced: true, verbs: ['list'] }))
  host.objects.set('/api/v1', { ...objectOf('APIResourceList', {}), resources })
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
  return objectOf(kind, { name, namespace: 'team-a', labels })
}
