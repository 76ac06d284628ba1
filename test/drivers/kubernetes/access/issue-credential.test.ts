import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { issueCredential } from '../../../../src/drivers/kubernetes/access/issue-credential.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'
import { FakeCluster } from '../fake-cluster.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const JANE = { user: 'jane', groups: ['developers', 'ops'] }

test('signs a certificate for an identity with the CA that the API trusts', async () => {
  const cluster = new FakeCluster()
  const { record } = await cluster.create('dev')

  const { certificate, expiresAt, key } = await issue(cluster)

  const issued = new X509Certificate(certificate)
  expect(issued.checkIssued(new X509Certificate(record.certificateAuthority ?? ''))).toBe(true)
  expect(issued.subject.split('\n')).toEqual(
    expect.arrayContaining(['O=developers', 'O=ops', 'CN=jane']),
  )
  expect(expiresAt).toEqual(new Date('2026-06-01T13:00:00Z'))
  expect(key).toContain('PRIVATE KEY')
  expect(cluster.api.requests.at(-1)).toBe('get /api/v1/namespaces/team-a/secrets/vplane-dev-ca')
})

test('names the missing Secret', async () => {
  const error = await rejectionOf(issue(new FakeCluster()))

  expect(error).toMatchObject({
    code: 'FAILED',
    message: 'the Secret "vplane-dev-ca" in namespace "team-a" has no CA that signs for "dev"',
  })
})

function issue(cluster: FakeCluster) {
  return issueCredential(cluster.api, PLACE, {
    identity: JANE,
    lifetimeMs: 3_600_000,
    algorithm: 'ecdsa',
    now: cluster.time,
    signal: new AbortController().signal,
  })
}
