import { expect, test } from 'vitest'
import { recordAt } from '../../../src/shared/json-fields.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import {
  exposedPorts,
  exposedServiceOf,
  exposureKeyOf,
  isExposed,
  toExposure,
} from '../../../src/syncer/network/exposed-services.ts'
import { virtualOf } from '../../../src/syncer/translate/host-metadata.ts'
import { toHostService } from '../../../src/syncer/translate/kinds/service.ts'
import { hostOf, SCOPE, virtualObject } from '../translate/some-objects.ts'

const PORTS = [
  { port: 80, targetPort: 'http' },
  { protocol: 'UDP', port: 53 },
]

test.for([
  [{ type: 'NodePort' }, true],
  [{ type: 'LoadBalancer' }, true],
  [{ type: 'ClusterIP' }, false],
  [{ type: 'NodePort', selector: {} }, false],
] as const)('a Service with %j is exposed: %s', ([spec, expected]) => {
  expect(isExposed(service(spec), [])).toBe(expected)
})

test('an Ingress exposes the Services that it names', () => {
  const { name } = service({}).metadata
  const backend = { service: { name, port: { number: 80 } } }
  const byPath = { rules: [{ http: { paths: [{ path: '/', backend }] } }] }

  for (const spec of [byPath, { defaultBackend: backend }]) {
    expect(isExposed(service({}), [virtualObject('Ingress', { spec })])).toBe(true)
  }
  expect(isExposed(service({}), [virtualObject('Ingress', { spec: {} })])).toBe(false)
  // A policy without ports would be about all of them.
  const headless = service({ clusterIP: 'None', ports: undefined })
  expect(isExposed(headless, [virtualObject('Ingress', { spec: byPath })])).toBe(false)
})

test('lets everybody reach the ports of an exposed Service, on pods without policies of users', () => {
  const exposed = service({ type: 'NodePort' })
  const policy = toExposure(SCOPE, exposed)

  expect(policy?.['spec']).toEqual({
    podSelector: {
      matchLabels: recordAt(exposed, 'spec', 'selector'),
      matchExpressions: [{ key: 'vplane.dev/own-ingress-rules', operator: 'DoesNotExist' }],
    },
    policyTypes: ['Ingress'],
    ingress: [
      {
        ports: [
          { protocol: 'TCP', port: 'http' },
          { protocol: 'UDP', port: 53 },
        ],
      },
    ],
  })
})

test('finds the Service of a policy by its key, and none for a policy of a user', () => {
  const exposed = service({})
  const policy = toExposure(SCOPE, exposed)
  const key = exposureKeyOf(SCOPE, exposed)

  expect(key).toBe('shop/service:web')
  expect(policy && virtualOf(SCOPE, policy)).toMatchObject({ name: 'service:web' })
  expect(policy?.metadata.name).toMatch(/^[a-z0-9-]+$/)
  expect(exposedServiceOf('shop/service:web')).toBe('shop/web')
  expect(exposedServiceOf('shop/web')).toBeUndefined()
})

test('knows the ports that a namespace exposes by their numbers and names', () => {
  const containers = [{ ports: [{ name: 'http', containerPort: 8080 }, { containerPort: 53 }] }]
  const pods = [
    hostOf(virtualObject('Pod', {}, { labels: { app: 'web' } }), { spec: { containers } }),
  ]
  const known = { services: [service({ type: 'NodePort' })], ingresses: [], pods }

  expect(exposedPorts(known, 'shop')).toEqual([
    { protocol: 'TCP', port: 'http' },
    { protocol: 'TCP', port: 8080 },
    { protocol: 'UDP', port: 53 },
  ])
  expect(exposedPorts(known, 'stock')).toEqual([])
  expect(exposedPorts({ ...known, services: [service({})] }, 'shop')).toEqual([])
})

function service(spec: object): KubeObject {
  const virtual = virtualObject('Service', {
    spec: { selector: { app: 'web' }, ports: PORTS, ...spec },
  })
  const host = toHostService(SCOPE, virtual)
  if (host === undefined) {
    throw new Error('it has a host object')
  }
  return host
}
