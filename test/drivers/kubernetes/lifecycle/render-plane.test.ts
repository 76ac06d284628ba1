import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { objectPathOf } from '../../../../src/manifests/manifest.ts'
import { planeManifests } from '../../../../src/manifests/render/plane-manifests.ts'
import { renderPlane } from '../../../../src/drivers/kubernetes/lifecycle/render-plane.ts'
import { makeKeys } from '../../../../src/drivers/kubernetes/objects/plane-keys.ts'
import type { PlaneRecord } from '../../../../src/drivers/kubernetes/record/plane-record.ts'
import {
  addRecord,
  isReadableRecord,
  storedRecordOf,
} from '../../../../src/drivers/kubernetes/record/record-store.ts'
import { planeRecordOf } from '../plane-record-of.ts'
import { createServiceAccountKeys } from '../../../../src/pki/plane/service-account-keys.ts'
import { silentUi } from '../../../../src/shared/ui.ts'
import { parseYamlDocuments } from '../../../../src/shared/yaml/yaml.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const PLACE = { name: 'dev', namespace: 'team' }
const NOW = new Date('2026-06-01T12:00:00Z')
const { signal } = new AbortController()

/** What is rendered with this host, or with none to ask. */
async function rendered(
  api: MemoryHostApi | undefined,
  userSpec: UserSpec = {},
  { now = NOW, showSecrets = false } = {},
): Promise<string> {
  const isSpecGiven = Object.keys(userSpec).length > 0
  const { text } = await renderPlane(
    { host: async () => api && { api }, now: () => now, ui: silentUi },
    { ...PLACE, userSpec, isSpecGiven, showSecrets, signal },
  )
  return text
}

/** A host with a plane, all of its objects there. */
async function hostWithPlane(fields: Partial<PlaneRecord> = {}) {
  const spec = resolveSpec({ ephemeral: true }, 'kubernetes')
  const addresses = ['10.96.0.7']
  const serviceAccountKeys = createServiceAccountKeys()
  const files = await makeKeys(PLACE, { spec, now: NOW, addresses, serviceAccountKeys })
  const record = planeRecordOf('dev', { userSpec: { ephemeral: true }, spec, ...fields })
  const api = new MemoryHostApi()
  await addRecord(api, PLACE, { record, signal })
  const state = { initialState: 'existing', desired: 'running' } as const
  const objects = planeManifests({ ...PLACE, id: record.id, spec, files, ...state })
  for (const object of objects) {
    await api.apply(objectPathOf(object), object)
  }
  return { api, files, objects }
}

const kindsOf = (yaml: string) =>
  parseYamlDocuments(yaml, 'the output').map((document) => Reflect.get(Object(document), 'kind'))

test('renders the same text for a new plane every time, and no keys', async () => {
  const first = await rendered(undefined)
  const second = await rendered(new MemoryHostApi(), {}, { now: new Date('2027-01-01') })

  expect(second).toBe(first)
  expect(first).not.toContain('PRIVATE KEY')
  expect(kindsOf(first)).not.toContain('Secret')
  expect(first).toContain('#   vplane-dev-kube-apiserver\n')
})

test('renders keys, and a record by which vplane finds the plane, when secrets are shown', async () => {
  const yaml = await rendered(undefined, {}, { showSecrets: true })

  const api = new MemoryHostApi()
  const [secret, ...objects] = parseYamlDocuments(yaml, 'the output')
  const stored = storedRecordOf(await api.create('/api/v1/namespaces/team/secrets', Object(secret)))
  expect.assert(stored !== undefined && isReadableRecord(stored))
  expect(stored.record).toMatchObject({ name: 'dev', hasKeys: true, desired: 'running' })
  expect(stored.record.certificateAuthority).toContain('BEGIN CERTIFICATE')
  expect(stored.record.collections).toContain('/apis/apps/v1/namespaces/team/deployments')
  expect(objects.length).toBeGreaterThan(10)
})

test('renders an existing plane with its own keys', async () => {
  const { api, files, objects } = await hostWithPlane()

  const yaml = await rendered(api, {}, { showSecrets: true })

  expect(new Set(kindsOf(yaml))).toEqual(new Set(objects.map(({ kind }) => kind)))
  expect(kindsOf(yaml)).toHaveLength(objects.length)
  expect(yaml).toContain(Buffer.from(files['apiserver.key'] ?? '').toString('base64'))
  expect(yaml).toContain('existing')
})

test('renders all but the Secrets of a plane that is there exactly as they are', async () => {
  const { api, objects } = await hostWithPlane()

  const documents = parseYamlDocuments(await rendered(api), 'the output')

  expect(documents).toEqual(objects.filter(({ kind }) => kind !== 'Secret'))
})

test('keeps what a plane that is there was resolved to when its own spec is given again', async () => {
  const spec = resolveSpec({ ephemeral: true, version: '1.35' }, 'kubernetes')
  const { api } = await hostWithPlane({ spec })

  expect(await rendered(api, { ephemeral: true })).toContain('kube-apiserver:v1.35')
})

test('renders what a plane that is there would become with another spec', async () => {
  const { api } = await hostWithPlane()

  expect(await rendered(api)).toContain('kube-apiserver:v1.36')
  expect(await rendered(api, { ephemeral: true, version: '1.35' })).toContain(
    'kube-apiserver:v1.35',
  )
})

test('keeps the range of Services that create found when another field of a plane changes', async () => {
  const userSpec = { ephemeral: true }
  const spec = { ...resolveSpec(userSpec, 'kubernetes'), serviceRange: '10.60.0.0/16' }
  const { api } = await hostWithPlane({ userSpec, spec })

  const changed = await rendered(api, { ...userSpec, apiServer: { extraArgs: { v: '2' } } })

  expect(changed).toContain('--v=2')
  expect(changed).toContain('--service-cluster-ip-range=10.60.0.0/16')
})

test('renders names instead of keys for a plane whose creation was interrupted before it had any', async () => {
  const { api } = await hostWithPlane({ hasKeys: false })

  expect(await rendered(api, {}, { showSecrets: true })).toContain(
    Buffer.from('<apiserver.key>').toString('base64'),
  )
})

test('does not render a plane that it cannot read', async () => {
  const { api } = await hostWithPlane()
  const path = '/api/v1/namespaces/team/secrets/vplane-dev-record'
  await api.patch(path, { data: { record: '' } }, { type: 'merge' })

  expect((await rejectionOf(rendered(api))).message).toContain('is damaged')
})
