import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { createAuthority } from '../../../src/pki/issue/create-authority.ts'
import { createSchedulerPki } from '../../../src/pki/plane/scheduler-pki.ts'

const algorithm = 'ecdsa'
const now = new Date()

test.for([
  ['scheduler', 'CN=system:kube-scheduler', undefined],
  ['scheduler-server', 'CN=kube-scheduler', 'DNS:localhost, IP Address:127.0.0.1'],
] as const)('issues %s to %s by the CA of the plane', ([name, subject, names]) => {
  const authority = createAuthority({ commonName: 'kubernetes', algorithm, now })

  const files = createSchedulerPki({ authority, algorithm, now })

  const leaf = new X509Certificate(files[`${name}.crt`] ?? '')
  expect(leaf.subject).toBe(subject)
  expect(leaf.subjectAltName).toBe(names)
  expect(leaf.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true)
})
