import { expect, test } from 'vitest'
import { toHostIngress } from '../../../../src/syncer/translate/kinds/ingress.ts'
import { SCOPE, virtualObject } from '../some-objects.ts'

const BACKEND = { service: { name: 'web', port: { number: 80 } } }
const HOST_BACKEND = { service: { name: 'web-x-shop-x-dev', port: { number: 80 } } }

test('leads to the plane’s Services, with the plane’s certificates', () => {
  const path = { path: '/', pathType: 'Prefix' }
  const spec = {
    ingressClassName: 'public',
    defaultBackend: BACKEND,
    rules: [{ host: 'shop.example.com', http: { paths: [{ ...path, backend: BACKEND }] } }],
    tls: [{ hosts: ['shop.example.com'], secretName: 'cert' }],
  }

  expect(ingress(spec)).toMatchObject({
    ingress: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'web-x-shop-x-dev' },
      spec: {
        ingressClassName: 'nginx',
        defaultBackend: HOST_BACKEND,
        rules: [
          { host: 'shop.example.com', http: { paths: [{ ...path, backend: HOST_BACKEND }] } },
        ],
        tls: [{ hosts: ['shop.example.com'], secretName: 'cert-x-shop-x-dev' }],
      },
    },
    needs: { secrets: ['cert'] },
  })
})

test('names the plane’s objects in annotations, and keeps the others', () => {
  const annotations = {
    'kubernetes.io/ingress.class': 'public',
    'nginx.ingress.kubernetes.io/auth-secret': 'shop/users',
    'nginx.ingress.kubernetes.io/auth-tls-secret': 'ca',
    'nginx.ingress.kubernetes.io/default-backend': 'sorry',
    'nginx.ingress.kubernetes.io/rewrite-target': '/',
  }

  expect(ingress({}, annotations)).toMatchObject({
    ingress: {
      metadata: {
        annotations: {
          'nginx.ingress.kubernetes.io/auth-secret': 'team-a/users-x-shop-x-dev',
          'nginx.ingress.kubernetes.io/auth-tls-secret': 'team-a/ca-x-shop-x-dev',
          'nginx.ingress.kubernetes.io/default-backend': 'sorry-x-shop-x-dev',
          'nginx.ingress.kubernetes.io/rewrite-target': '/',
        },
      },
      spec: { ingressClassName: 'nginx' },
    },
    needs: { secrets: ['ca', 'users'] },
  })
})

test.for<[Record<string, unknown>, Record<string, string>]>([
  [{ ingressClassName: 'internal' }, {}],
  [{}, { 'kubernetes.io/ingress.class': 'nginx' }],
  [{ defaultBackend: { resource: { kind: 'Bucket', name: 'x' } } }, {}],
  [{}, { 'nginx.ingress.kubernetes.io/auth-secret': 'vplane-system/admin' }],
  [{}, { 'nginx.ingress.kubernetes.io/auth-secret': 'team-a/vplane-dev-ca' }],
])('refuses %j with annotations %j', ([spec, annotations]) => {
  expect(ingress(spec, annotations)).toEqual({ refusals: [expect.any(String)] })
})

function ingress(spec: Record<string, unknown>, annotations: Record<string, string> = {}) {
  return toHostIngress(virtualObject('Ingress', { spec }, { annotations }), {
    scope: SCOPE,
    ingressClasses: new Map([['public', 'nginx']]),
  })
}
