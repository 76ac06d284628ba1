import { expect, test } from 'vitest'
import {
  ENCRYPTION_FILE,
  encryptionConfiguration,
  encryptionKey,
  encryptionKeyHashes,
} from '../../src/control-plane/components/encryption-configuration.ts'
import type { UserSpec } from '../../src/control-plane/spec/spec.ts'
import { COMPONENT_NAMES } from '../../src/control-plane/plane/plane.ts'
import {
  checksumOf,
  fileOfSecretKey,
  filesOfAuthorities,
  filesOfPod,
  filesReadOnce,
  KEY_HASHES_FILE,
  secretKeyOf,
} from '../../src/manifests/pod-files.ts'
import { planeManifests } from '../../src/manifests/render/plane-manifests.ts'
import { createEtcdPki } from '../../src/pki/plane/etcd-pki.ts'
import { createPlanePki } from '../../src/pki/plane/plane-pki.ts'
import { manifestInputOf, PKI_FILES } from './manifest-input-of.ts'

const FILES = Object.fromEntries([...PKI_FILES, ENCRYPTION_FILE].map((name) => [name, name]))

test('knows the files as they are created', async () => {
  const options = { algorithm: 'ecdsa', now: new Date() } as const
  const made = {
    ...createEtcdPki({ ...options, memberSans: [] }),
    ...(await createPlanePki({ ...options, serverSans: ['a.test'] })),
  }

  expect(Object.keys(made).toSorted()).toEqual(PKI_FILES.toSorted())
})

test('gives every pod the files of its process, and no others', () => {
  const input = manifestInputOf()
  const text = JSON.stringify(planeManifests(input))

  for (const component of COMPONENT_NAMES) {
    for (const file of Object.keys(filesOfPod(component, FILES))) {
      expect(text).toContain(`/etc/vplane/pki/${file}`)
    }
  }
  const told = [...text.matchAll(/\/etc\/vplane\/pki\/([\w./-]+)/g)].map(([, file]) => file)
  const given = COMPONENT_NAMES.flatMap((component) => Object.keys(filesOfPod(component, FILES)))
  expect(new Set(told)).toEqual(new Set(given))
})

test.for(COMPONENT_NAMES)('gives the key of a CA to no pod but that of its signer: %s', (name) => {
  const keys = Object.keys(filesOfPod(name, FILES)).filter((file) => file.endsWith('ca.key'))

  expect(keys).toEqual(name === 'kube-controller-manager' ? ['signing-ca.key'] : [])
})

test('gives the keeper the hashes of encryption keys for backups, and keeps them nowhere else', () => {
  const configuration = encryptionConfiguration([encryptionKey(Buffer.alloc(32))])
  const hashes = { [KEY_HASHES_FILE]: 'of before' }
  const files = { ...FILES, ...hashes, [ENCRYPTION_FILE]: configuration }
  const secretsOf = (spec: UserSpec) =>
    planeManifests(manifestInputOf(spec, { files }))
      .filter(({ kind }) => kind === 'Secret')
      .map(({ data, metadata }) => [metadata.name, Object(data)[KEY_HASHES_FILE]])
      .filter(([, hash]) => hash !== undefined)

  const found = secretsOf({ backup: { schedule: 'daily', store: 's3://backups' } })

  const hash = btoa(JSON.stringify(encryptionKeyHashes(files)))
  expect(found).toEqual([['vplane-dev-keeper', hash]])
  expect(secretsOf({ idle: '1h' })).toEqual([])
})

test('keeps every file somewhere, and what issues certificates together', () => {
  const authorities = filesOfAuthorities(FILES)
  const ofPods = COMPONENT_NAMES.flatMap((component) => Object.keys(filesOfPod(component, FILES)))
  const kept = new Set([...Object.keys(authorities), ...ofPods])

  expect([...kept].toSorted()).toEqual(Object.keys(FILES).toSorted())
  for (const name of ['ca', 'etcd/ca', 'front-proxy-ca']) {
    expect(authorities).toMatchObject({ [`${name}.crt`]: FILES[`${name}.crt`] })
    expect(authorities).toHaveProperty([`${name}.key`])
  }
})

test('replaces no pod for a leaf certificate, which its process reads again', () => {
  const once = COMPONENT_NAMES.flatMap((component) => Object.keys(filesReadOnce(component, FILES)))

  const cas = ['ca.crt', 'client-ca.crt', 'etcd/ca.crt', 'front-proxy-ca.crt', 'signing-ca.crt']
  const keys = ['encryption.json', 'sa.key', 'sa.pub', 'signing-ca.key']
  expect([...new Set(once)].toSorted()).toEqual([...cas, ...keys].toSorted())
})

test('converts the path of a file to a key, and back', () => {
  for (const file of Object.keys(FILES)) {
    expect(secretKeyOf(file)).toMatch(/^[-._a-zA-Z0-9]+$/)
    expect(fileOfSecretKey(secretKeyOf(file))).toBe(file)
  }
})

test.for([
  [{ backup: { schedule: 'daily', store: 's3://backups' } }, ['etcd/healthcheck-client.key']],
  [{ renew: true }, ['etcd/healthcheck-client.key']],
  [{ idle: '1h' }, ['etcd/healthcheck-client.key', 'front-proxy-client.key']],
] as Array<[UserSpec, string[]]>)('gives the keeper of %j these keys alone: %j', ([spec, keys]) => {
  const objects = planeManifests(manifestInputOf(spec))

  const named = objects.filter(({ metadata }) => metadata.name === 'vplane-dev-keeper')
  const secret = named.find(({ kind }) => kind === 'Secret')
  const files = Object.keys(Object(secret?.['data'])).map(fileOfSecretKey)
  expect(files.filter((name) => name.endsWith('.key'))).toEqual(keys)
})

test('calculates the same checksum for the same files in any order', () => {
  expect(checksumOf({ a: '1', b: '2' })).toBe(checksumOf({ b: '2', a: '1' }))
})

test.for<Array<Record<string, string>>>([
  [{ a: '1' }, { a: '2' }],
  [{ a: '1' }, { b: '1' }],
  [{ a: '1' }, { a: '1', b: '' }],
  [
    { a: 'b', c: 'd' },
    { a: 'd', c: 'b' },
  ],
])('calculates different checksums for %j and %j', ([one, other]) => {
  expect(checksumOf(one ?? {})).not.toBe(checksumOf(other ?? {}))
})
