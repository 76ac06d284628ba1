import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { addressPlan } from '../cluster/state/address-plan.ts'
import { authorityOf, createHostPki, createNodePki, issueClient } from './host-pki.ts'

const PLAN = addressPlan('h1', 0, 1)
const NOW = new Date()

test('issues what nodes add to the certificates of a plane, from its CA', async () => {
  const files = await createHostPki(PLAN, NOW)

  const subjects = ['admin', 'apiserver-kubelet-client', 'kube-proxy', 'scheduler'].map((name) => {
    const certificate = new X509Certificate(files[`${name}.crt`] ?? '')
    expect(certificate.checkIssued(new X509Certificate(files['ca.crt'] ?? ''))).toBe(true)
    return certificate.subject.replaceAll('\n', ', ')
  })
  expect(subjects).toEqual([
    'O=system:masters, CN=lab-admin',
    'O=system:masters, CN=kube-apiserver-kubelet-client',
    'CN=system:kube-proxy',
    'CN=system:kube-scheduler',
  ])
})

test('lets the machine reach the API server and etcd by the address of the first node', async () => {
  const files = await createHostPki(PLAN, NOW)

  for (const name of ['apiserver', 'etcd/server']) {
    const certificate = new X509Certificate(files[`${name}.crt`] ?? '')
    expect(certificate.checkIP('10.99.1.10')).toBe('10.99.1.10')
  }
})

test('makes a kubelet a node that serves under its name and address', async () => {
  const authority = authorityOf(await createHostPki(PLAN, NOW))
  const [node] = PLAN.nodes

  const files = node && createNodePki(authority, node, NOW)

  const client = new X509Certificate(files?.['kubelet.crt'] ?? '')
  const server = new X509Certificate(files?.['kubelet-server.crt'] ?? '')
  expect(client.subject.split('\n')).toEqual(['O=system:nodes', 'CN=system:node:h1-0'])
  expect(server.subjectAltName).toBe('DNS:h1-0, IP Address:10.99.1.10')
})

test('issues certificates for users without groups', async () => {
  const authority = authorityOf(await createHostPki(PLAN, NOW))

  const { certificate } = issueClient(authority, { user: 'someone' }, NOW)

  expect(new X509Certificate(certificate).subject).toBe('CN=someone')
})
