import { expect, test } from 'vitest'
import { toHostEndpointSlice } from '../../../../src/syncer/translate/kinds/endpoint-slice.ts'
import { toHostService } from '../../../../src/syncer/translate/kinds/service.ts'
import { SCOPE, virtualObject } from '../some-objects.ts'

const MARKERS = {
  'app.kubernetes.io/managed-by': 'vplane-syncer',
  'vplane.dev/synced-by': 'dev',
  'vplane.dev/synced-namespace': 'shop',
}

test('keeps all that a Service says about its addresses and traffic', () => {
  const kept = {
    type: 'LoadBalancer',
    clusterIP: '10.96.1.2',
    clusterIPs: ['10.96.1.2', 'fd00::2'],
    ipFamilies: ['IPv4', 'IPv6'],
    ipFamilyPolicy: 'PreferDualStack',
    externalTrafficPolicy: 'Local',
    internalTrafficPolicy: 'Cluster',
    healthCheckNodePort: 32_000,
    allocateLoadBalancerNodePorts: false,
    loadBalancerClass: 'example.com/lb',
    loadBalancerSourceRanges: ['10.0.0.0/8'],
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
    publishNotReadyAddresses: true,
    trafficDistribution: 'PreferClose',
    ports: [{ name: 'http', port: 80, targetPort: 'web', protocol: 'TCP', nodePort: 30_080 }],
  }
  const spec = { ...kept, selector: { app: 'web' } }
  const host = toHostService(SCOPE, virtualObject('Service', { spec }))

  expect(host).toMatchObject({ apiVersion: 'v1', kind: 'Service' })
  expect(host?.metadata.name).toBe('web-x-shop-x-dev')
  expect(host?.['spec']).toEqual({ ...kept, selector: { app: 'web', ...MARKERS } })
})

test('keeps a Service headless', () => {
  const spec = { clusterIP: 'None', selector: { app: 'db' }, ports: [] }
  const host = toHostService(SCOPE, virtualObject('Service', { spec }))

  expect(host).toMatchObject({ spec: { clusterIP: 'None' } })
})

test('leaves an external name to the plane’s DNS', () => {
  const spec = { type: 'ExternalName', externalName: 'example.com' }

  expect(toHostService(SCOPE, virtualObject('Service', { spec }))).toBeUndefined()
})

test('writes endpoints for the host’s Service', () => {
  const endpoint = { addresses: ['192.0.2.1'], conditions: { ready: true }, hostname: 'db' }
  const targetRef = { kind: 'Pod', name: 'db', namespace: 'shop' }
  const ports = [{ name: 'sql', port: 5432, protocol: 'TCP' }]
  const slice = { addressType: 'IPv4', endpoints: [{ ...endpoint, targetRef }], ports }
  const labels = { 'kubernetes.io/service-name': 'db', app: 'db' }
  const host = toHostEndpointSlice(SCOPE, virtualObject('EndpointSlice', slice, { labels }))

  expect(host).toMatchObject({
    apiVersion: 'discovery.k8s.io/v1',
    metadata: {
      labels: {
        ...MARKERS,
        app: 'db',
        'kubernetes.io/service-name': 'db-x-shop-x-dev',
        'endpointslice.kubernetes.io/managed-by': 'vplane.dev',
      },
    },
    addressType: 'IPv4',
    endpoints: [endpoint],
    ports,
  })
})

test('writes none for endpoints of no Service', () => {
  expect(toHostEndpointSlice(SCOPE, virtualObject('EndpointSlice'))).toBeUndefined()
})
