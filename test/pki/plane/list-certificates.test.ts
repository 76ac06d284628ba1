import { expect, test } from 'vitest'
import { createEtcdPki } from '../../../src/pki/plane/etcd-pki.ts'
import { listCertificates } from '../../../src/pki/plane/list-certificates.ts'
import { createPlanePki } from '../../../src/pki/plane/plane-pki.ts'

const NOW = new Date('2026-11-22T00:00:00Z')

test('lists CAs, leaves and keys without certificate, and when they expire', async () => {
  const common = { algorithm: 'ecdsa', now: NOW } as const
  const files = {
    ...createEtcdPki({ ...common, memberSans: [] }),
    ...(await createPlanePki({ ...common, serverSans: ['localhost'] })),
    'encryption.json': '{}',
  }

  const listed = listCertificates(files)

  expect(listed.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'authority ca',
    'authority client-ca',
    'authority etcd/ca',
    'authority front-proxy-ca',
    'authority signing-ca',
    'leaf apiserver',
    'leaf apiserver-etcd-client',
    'leaf controller-manager',
    'leaf controller-manager-server',
    'leaf etcd/healthcheck-client',
    'leaf etcd/peer',
    'leaf etcd/server',
    'leaf front-proxy-client',
    'key encryption',
    'key sa',
  ])
  const find = (wanted: string) => listed.find(({ name }) => name === wanted)
  expect(find('client-ca')?.subject).toBe('kubernetes, kubernetes-signing')
  expect(find('apiserver')?.expiresAt).toEqual(new Date('2027-11-22T00:00:00Z'))
})
