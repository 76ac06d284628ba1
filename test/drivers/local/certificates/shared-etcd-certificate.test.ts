import { X509Certificate } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { certificateExpiry } from '../../../../src/drivers/local/certificates/certificate-expiry.ts'
import {
  ensureSharedEtcdCertificate,
  renewSharedEtcdCertificate,
} from '../../../../src/drivers/local/certificates/shared-etcd-certificate.ts'
import { planeFolder } from '../../../../src/drivers/local/store/plane-folder.ts'
import { formatSharedEtcd, newSharedEtcd } from '../../../../src/etcd/shared/shared-etcd.ts'
import { createAuthority } from '../../../../src/pki/issue/create-authority.ts'
import { endsWithTest } from '../../../support/ends-with-test.ts'
import { temporaryFolder } from '../../../support/machine/temporary-folder.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = new Date('2026-06-01T00:00:00Z')
const later = (days: number) => new Date(NOW.getTime() + days * DAY_MS)

test('issues a certificate of the user once, for a year', async () => {
  const { again, certificate, facts, folder } = await issued()
  const first = certificate()

  await again()

  const leaf = new X509Certificate(first)
  expect(leaf.subject).toBe(`CN=${facts.user}`)
  expect(leaf.validToDate).toEqual(later(365))
  expect(certificateExpiry(folder)).toEqual(later(365))
  expect(certificate()).toBe(first)
})

test('renews it in its last ninety days', async () => {
  const { certificate, facts, folder } = await issued()
  const first = certificate()

  const early = await renewSharedEtcdCertificate(folder, { now: later(200) })
  const due = await renewSharedEtcdCertificate(folder, { now: later(300) })

  expect([early, due]).toEqual([false, true])
  expect(certificate()).not.toBe(first)
  expect(new X509Certificate(certificate()).subject).toBe(`CN=${facts.user}`)
  expect(new X509Certificate(certificate()).validToDate).toEqual(later(665))
})

test.for([
  ['is kept while it is valid', { now: later(300) }, undefined],
  ['is an error when it has expired', { now: later(366) }, 'FAILED'],
  ['is an error when all are to be renewed', { now: NOW, withinMs: Infinity }, 'FAILED'],
] as const)('one that cannot be renewed %s', async ([, options, code]) => {
  const { clientCaKeyFile, folder } = await issued()
  chmodSync(clientCaKeyFile, 0o644)

  const renewal = renewSharedEtcdCertificate(folder, options)

  if (code === undefined) {
    expect(await renewal).toBe(false)
  } else {
    expect(await rejectionOf(renewal)).toMatchObject({ code })
  }
})

async function issued() {
  const { path } = endsWithTest(await temporaryFolder())
  const { certificate, key } = createAuthority({
    commonName: 'clients',
    algorithm: 'ecdsa',
    now: NOW,
  })
  const [clientCaFile, clientCaKeyFile] = [join(path, 'ca.crt'), join(path, 'ca.key')]
  writeFileSync(clientCaFile, certificate)
  writeFileSync(clientCaKeyFile, key, { mode: 0o600 })
  const files = { certificateFile: '/none', keyFile: '/none', clientCaFile, clientCaKeyFile }
  const facts = newSharedEtcd('dev', { endpoints: [], caFile: '/none', root: files })
  const folder = planeFolder(join(path, 'dev'))
  mkdirSync(dirname(folder.sharedEtcd.facts), { recursive: true })
  writeFileSync(folder.sharedEtcd.facts, formatSharedEtcd(facts))
  const again = () => ensureSharedEtcdCertificate(facts, folder, { algorithm: 'ecdsa', now: NOW })
  await again()
  return {
    again,
    clientCaKeyFile,
    facts,
    folder,
    certificate: () => readFileSync(folder.sharedEtcd.certificate, 'utf8'),
  }
}
