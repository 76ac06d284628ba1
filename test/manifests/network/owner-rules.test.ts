import { expect, test } from 'vitest'
import { apiServerEgress, ownerEgress } from '../../../src/manifests/network/owner-rules.ts'
import { policyRules } from '../../../src/manifests/network/network-rule.ts'

const inNamespace = (name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
})

test('lets pods reach the namespaces of Services of the host', () => {
  const hostServices = { 'db.shop': 'postgres.databases', 'cache.shop': 'redis.databases' }
  const network = { egress: [], ingress: [] }

  expect(ownerEgress({ plane: 'dev', network, hostServices })).toContainEqual({
    peers: [inNamespace('databases')],
  })
})

test.for([
  ['https://issuer.example.com', { ports: [{ protocol: 'TCP', port: 443 }] }],
  [
    'https://10.1.2.3:8443/dex',
    { to: [{ ipBlock: { cidr: '10.1.2.3/32' } }], ports: [{ port: 8443 }] },
  ],
  ['https://[2001:db8::1]', { to: [{ ipBlock: { cidr: '2001:db8::1/128' } }] }],
  ['https://dex.auth.svc:5556', { to: [inNamespace('auth')] }],
  ['https://dex.auth.svc.cluster.local', { to: [inNamespace('auth')] }],
] as const)('lets kube-apiserver reach the issuer %s', ([issuer, expected]) => {
  const rules = policyRules(rulesFor(issuer), 'to')

  expect(rules).toHaveLength(policyRules(rulesFor(), 'to').length + 1)
  expect(rules.at(-1)).toMatchObject(expected)
})

test('lets kube-apiserver reach no issuer at an address that is never allowed', () => {
  expect(policyRules(rulesFor('https://169.254.169.254'), 'to')).toEqual(
    policyRules(rulesFor(), 'to'),
  )
})

function rulesFor(...issuers: string[]) {
  return apiServerEgress({ plane: 'dev', store: 'etcd', egress: [], issuers })
}
