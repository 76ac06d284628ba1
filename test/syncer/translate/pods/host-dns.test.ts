import { expect, test } from 'vitest'
import { allowing, CONTEXT, hostSpec, podWith, refusalsOf } from './some-pods.ts'

const SEARCHES = ['shop.svc.cluster.local', 'svc.cluster.local', 'cluster.local']
const NDOTS = { name: 'ndots', value: '5' }

test('asks the DNS server of the plane', () => {
  expect(hostSpec(podWith({ dnsPolicy: 'ClusterFirst' }))).toMatchObject({
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['10.96.0.10'], searches: SEARCHES, options: [NDOTS] },
  })
})

test('puts what the pod says behind that, and its options in place', () => {
  const dnsConfig = {
    nameservers: ['10.96.0.10', '1.1.1.1', '2.2.2.2', '3.3.3.3'],
    searches: ['example.com', 'cluster.local'],
    options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
  }

  expect(hostSpec(podWith({ dnsConfig }))['dnsConfig']).toEqual({
    nameservers: ['10.96.0.10', '1.1.1.1', '2.2.2.2'],
    searches: [...SEARCHES, 'example.com'],
    options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
  })
})

test.for([
  [{ dnsPolicy: 'Default' }, 'Default'],
  [{ dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'] } }, 'None'],
  [{ dnsPolicy: 'ClusterFirst', hostNetwork: true }, 'Default'],
] as const)('leaves a pod with %j its own way', ([spec, dnsPolicy]) => {
  const host = hostSpec(podWith(spec), allowing('hostNetwork'))

  expect(host['dnsPolicy']).toBe(dnsPolicy)
  expect(host['dnsConfig']).toEqual('dnsConfig' in spec ? spec.dnsConfig : undefined)
})

test('asks the plane’s server from the node’s network when the pod wants it', () => {
  const spec = { dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true }

  expect(hostSpec(podWith(spec), allowing('hostNetwork'))['dnsPolicy']).toBe('None')
})

test('does as a kubelet that knows no DNS server when the plane has none', () => {
  expect(hostSpec(podWith(), { ...CONTEXT, dns: undefined })['dnsPolicy']).toBe('Default')
})

test.for([
  ['web-0', {}, 'web-0'],
  ['web.v1.2', {}, 'web-v1-2'],
  [`${'w'.repeat(62)}.z`, {}, 'w'.repeat(62)],
  ['web-0', { hostname: 'db' }, 'db'],
] as const)('calls pod %s with %j by its virtual name', ([name, spec, hostname]) => {
  expect(hostSpec(podWith(spec, { name }))['hostname']).toBe(hostname)
})

test('leaves the subdomain to the DNS of the plane', () => {
  const host = hostSpec(podWith({ hostname: 'db-0', subdomain: 'db', setHostnameAsFQDN: false }))

  expect(host).toMatchObject({ hostname: 'db-0' })
  expect(host).not.toHaveProperty('subdomain')
})

test('says that a pod cannot be called by its full name', () => {
  expect(refusalsOf(podWith({ setHostnameAsFQDN: true, subdomain: 'db' }))).toEqual([
    expect.stringContaining('use spec.hostnameOverride'),
  ])
  expect(hostSpec(podWith({ hostnameOverride: 'db-0.example.com' }))).toMatchObject({
    hostnameOverride: 'db-0.example.com',
  })
})
