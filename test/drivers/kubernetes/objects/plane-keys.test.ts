import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { resolveSpec } from '../../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { applyObjects } from '../../../../src/drivers/kubernetes/host/apply-objects.ts'
import {
  certificateFields,
  storedKeys,
} from '../../../../src/drivers/kubernetes/objects/stored-keys.ts'
import {
  filesOf,
  makeKeys,
  keysIn,
  readKeys,
} from '../../../../src/drivers/kubernetes/objects/plane-keys.ts'
import { planeObjects } from '../../../../src/drivers/kubernetes/objects/plane-objects.ts'
import { createServiceAccountKeys } from '../../../../src/pki/plane/service-account-keys.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster, objectOf } from '../fake-cluster.ts'
import { planeRecordOf } from '../plane-record-of.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const NOW = new Date('2026-06-01T12:00:00Z')
const { signal } = new AbortController()
const serviceAccountKeys = createServiceAccountKeys()

test('makes certificates for every name and address that the API is reached by', async () => {
  const files = await keysOf({ extraSans: ['api.example'] }, ['10.96.0.7', 'fd00::7'])

  const server = new X509Certificate(files['apiserver.crt'] ?? '')
  const etcd = new X509Certificate(files['etcd/server.crt'] ?? '')

  for (const name of [
    'vplane-dev-api.team-a.svc',
    'kubernetes.default.svc',
    'api.example',
    'localhost',
  ]) {
    expect(server.checkHost(name)).toBe(name)
  }
  for (const address of ['10.96.0.7', 'fd00::7', '127.0.0.1', '10.96.0.1']) {
    expect(server.checkIP(address)).toBeDefined()
  }
  expect(etcd.checkHost('vplane-dev-etcd.team-a.svc')).toBeDefined()
  expect(etcd.checkHost('vplane-dev-etcd-4.vplane-dev-etcd-peers.team-a.svc')).toBeDefined()
})

test('uses the keys of ServiceAccounts that were made beforehand', async () => {
  const files = await keysOf({}, [])

  expect(files['sa.key']).toBe((await serviceAccountKeys)['sa.key'])
})

test('makes a key for Secrets where they are encrypted, another one for each plane', async () => {
  const [one, other, without] = await Promise.all([
    keysOf({}, []),
    keysOf({}, []),
    keysOf({ encryption: { secrets: false } }, []),
  ])

  expect(one['encryption.json']).toContain('"secretbox"')
  expect(one['encryption.json']).not.toBe(other['encryption.json'])
  expect(without['encryption.json']).toBeUndefined()
})

test('reads back from Secrets all that it made, and none of the record', async () => {
  const cluster = new FakeCluster()
  const made = await storeKeys(cluster)
  await cluster.store('dev')

  expect(await readKeys(cluster.api, PLACE, signal)).toEqual(made)
  expect(await storedKeys(cluster.api, PLACE, signal)).toEqual(made)
})

test('keeps certificates with their keys where copies without keys are older', () => {
  const secretOf = (files: Record<string, string>) => ({
    ...objectOf('Secret', { name: 'any' }),
    data: Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
    ),
  })

  expect(
    keysIn([
      secretOf({ 'a.crt': 'new', 'a.key': 'new', 'b.crt': 'kept' }),
      secretOf({ 'a.crt': 'old' }),
    ]),
  ).toEqual({ 'a.crt': 'new', 'a.key': 'new', 'b.crt': 'kept' })
})

test.for([
  ['vplane-dev-ca', 'ca.key'],
  ['vplane-dev-etcd', 'etcd/server.key'],
  ['vplane-dev-kube-apiserver', 'apiserver.key'],
  ['vplane-dev-kube-controller-manager', 'signing-ca.key'],
] as const)('says that keys are gone when the Secret %s is', async ([secret, file]) => {
  const cluster = new FakeCluster()
  await storeKeys(cluster)
  cluster.api.remove(`/api/v1/namespaces/team-a/secrets/${secret}`)

  const error = await rejectionOf(storedKeys(cluster.api, PLACE, signal))

  expect(error).toMatchObject({
    code: 'FAILED',
    message: `keys of "dev" are missing: no Secret in namespace "team-a" has ${file}`,
  })
})

test('says of certificates whom to trust and when the first one ends', async () => {
  const files = await keysOf({}, [])

  const { certificateAuthority, certificatesExpireAt } = certificateFields(files)

  expect(certificateAuthority).toBe(files['ca.crt'])
  expect(certificatesExpireAt?.slice(0, 10)).toBe('2027-06-01')
  expect(certificateFields({})).toEqual({})
})

test.for([undefined, null, 'text', {}])('finds no files in the data %j', (data) => {
  expect(filesOf(data)).toEqual({})
})

async function keysOf(userSpec: UserSpec, addresses: string[]): Promise<Record<string, string>> {
  const spec = resolveSpec(userSpec, 'kubernetes')
  return makeKeys(PLACE, { spec, now: NOW, addresses, serviceAccountKeys })
}

async function storeKeys(cluster: FakeCluster): Promise<Record<string, string>> {
  const files = await keysOf({}, [])
  const { needed } = planeObjects(PLACE, planeRecordOf('dev'), files)
  await applyObjects(cluster.api, needed, signal)
  return files
}
