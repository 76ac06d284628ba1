import { X509Certificate } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { PkiFiles } from '../../../src/pki/plane/certificate-expiry.ts'
import { renewLeaves } from '../../../src/pki/plane/certificate-expiry.ts'
import { createEtcdPki } from '../../../src/pki/plane/etcd-pki.ts'
import { listCertificates } from '../../../src/pki/plane/list-certificates.ts'
import { parseCertificates } from '../../../src/pki/x509/pem.ts'
import { createPlanePki, createSyncerPki } from '../../../src/pki/plane/plane-pki.ts'
import { AUTHORITY_STAGES, authorityStage } from '../../../src/pki/rotation/authority-stages.ts'
import { handshake } from '../handshake.ts'

// TLS looks at the clock of the machine, so that a fixed time will not do.
const now = new Date()

type StageName = 'before' | 'prepared' | 'switched' | 'completed'
const files: Record<StageName, PkiFiles> = { before: {}, prepared: {}, switched: {}, completed: {} }

beforeAll(async () => {
  const common = { algorithm: 'ecdsa', now } as const
  const serviceAccountKeys = Promise.resolve({ 'sa.key': 'a key', 'sa.pub': 'its half' })
  const sans = ['127.0.0.1']
  const plane = await createPlanePki({ ...common, serverSans: sans, serviceAccountKeys })
  const authority = { certificate: plane['ca.crt'] ?? '', key: plane['ca.key'] ?? '' }
  files.before = {
    ...createEtcdPki({ ...common, memberSans: [] }),
    ...plane,
    ...createSyncerPki({ ...common, authority, serverSans: sans }),
  }
  files.prepared = AUTHORITY_STAGES.prepare(files.before, now)
  files.switched = AUTHORITY_STAGES.switch(files.prepared, now)
  files.completed = AUTHORITY_STAGES.complete(files.switched, now)
})

test.for([
  ['before', undefined],
  ['prepared', 'prepare'],
  ['switched', 'switch'],
  ['completed', undefined],
] as const)('determines from the files that it is %s', ([stage, taken]) => {
  expect(authorityStage(files[stage])).toBe(taken)
})

test.for([
  ['ca.crt', 'kubernetes'],
  ['etcd/ca.crt', 'etcd-ca'],
  ['front-proxy-ca.crt', 'front-proxy-ca'],
  ['kubelet-ca.crt', 'kubernetes'],
  ['syncer-ca.crt', 'kubernetes'],
] as const)('%s is of both from prepare to complete, the one that issues first', ([file, name]) => {
  expect(subjectsIn(file)).toEqual({
    before: [name],
    prepared: [name, `${name}-2`],
    switched: [`${name}-2`, name],
    completed: [`${name}-2`],
  })
})

test('trusts clients of both CAs, and signs with one', () => {
  const old = ['kubernetes', 'kubernetes-signing']
  const added = ['kubernetes-2', 'kubernetes-signing-2']
  expect(subjectsIn('client-ca.crt')).toEqual({
    before: old,
    prepared: [...old, ...added],
    switched: [...added, ...old],
    completed: added,
  })
  expect(subjectsIn('signing-ca.crt')).toEqual({
    before: ['kubernetes-signing'],
    prepared: ['kubernetes-signing'],
    switched: ['kubernetes-signing-2'],
    completed: ['kubernetes-signing-2'],
  })
})

test('issues every leaf again in switch, in no other stage, with the CA whose key exists', () => {
  const leaves = listCertificates(files.before).filter(({ kind }) => kind === 'leaf')
  const isSame = (name: string, one: StageName, other: StageName) =>
    firstIn(`${name}.crt`, one).raw.equals(firstIn(`${name}.crt`, other).raw)

  expect(leaves.length).toBeGreaterThan(10)
  for (const { name } of leaves) {
    expect(isSame(name, 'before', 'prepared')).toBe(true)
    expect(isSame(name, 'prepared', 'switched')).toBe(false)
    expect(isSame(name, 'switched', 'completed')).toBe(true)
    expect(firstIn(`${name}.crt`, 'switched').issuer).toMatch(/-2$/)
  }
  expect(Object.keys(files.completed).toSorted()).toEqual(Object.keys(files.before).toSorted())
})

test('gives the CAs of the next rotation different names again', () => {
  const again = AUTHORITY_STAGES.prepare(files.completed, now)

  const subjects = parseCertificates(again['ca.crt'] ?? '', 'ca').map(({ subject }) => subject)
  expect(subjects).toEqual(['CN=kubernetes-2', 'CN=kubernetes-3'])
})

test.for([
  ['before', 'before', 'before', true],
  ['before', 'prepared', 'before', true],
  ['prepared', 'prepared', 'before', true],
  ['before', 'switched', 'before', true],
  ['prepared', 'switched', 'prepared', true],
  ['switched', 'switched', 'switched', true],
  ['completed', 'switched', 'switched', true],
  ['switched', 'completed', 'completed', true],
  ['completed', 'completed', 'completed', true],
  ['before', 'completed', 'completed', false],
  ['completed', 'completed', 'before', false],
] as const)(
  'trust as of %s with a server as of %s and a client as of %s: %s',
  async ([trust, server, client, isTrusted]) => {
    const trial = handshake(
      { ...pairIn('apiserver', server), trusts: files[server]['client-ca.crt'] ?? '' },
      { ...pairIn('controller-manager', client), trusts: files[trust]['ca.crt'] ?? '' },
    )

    await (isTrusted ? expect(trial).resolves.toBeDefined() : expect(trial).rejects.toThrow())
  },
)

test('keeps the trust of old clients when leaves are renewed between switch and complete', async () => {
  const renewed = {
    ...files.switched,
    ...renewLeaves(files.switched, { now, withinMs: Infinity, lifetimeMs: 1000 * 86_400_000 }),
  }

  const peer = await handshake(
    { ...pairOf(renewed, 'apiserver'), trusts: renewed['client-ca.crt'] ?? '' },
    { ...pairIn('controller-manager', 'before'), trusts: files.before['ca.crt'] ?? '' },
  )

  expect(renewed['apiserver.crt']).not.toBe(files.switched['apiserver.crt'])
  expect(peer.user).toBe('system:kube-controller-manager')
})

function subjectsIn(file: string): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(files).map(([stage, found]) => [
      stage,
      parseCertificates(found[file] ?? '', file).map(({ subject }) => subject.replace('CN=', '')),
    ]),
  )
}

function firstIn(file: string, stage: StageName): X509Certificate {
  return new X509Certificate(files[stage][file] ?? '')
}

function pairIn(name: string, stage: StageName) {
  return pairOf(files[stage], name)
}

function pairOf(found: PkiFiles, name: string) {
  return { certificate: found[`${name}.crt`] ?? '', key: found[`${name}.key`] ?? '' }
}
