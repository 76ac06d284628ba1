import { expect, test } from 'vitest'
import {
  rewriteConversion,
  rewriteWebhooks,
} from '../../../src/control-plane/install/rewrite-webhooks.ts'
import { crd, serviceConversion, webhookConfiguration } from '../../support/api/crd.ts'

const TARGET = { host: '127.0.0.1', port: 9443, certificateAuthority: 'PEM of a CA\n' }
const CA_BUNDLE = Buffer.from('PEM of a CA\n').toString('base64')

test.for(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const)(
  'turns every Service of a %s to the target, and keeps all else',
  (kind) => {
    const service = { namespace: 'system', name: 'webhooks', port: 8443, path: '/mutate-v1' }
    const url = { url: 'https://elsewhere.example/x', caBundle: 'AAAA' }
    const before = webhookConfiguration(kind, 'hooks', [{ service, caBundle: 'Cg==' }, url])

    const [after] = rewriteWebhooks([before], TARGET)

    const turned = { url: 'https://127.0.0.1:9443/mutate-v1', caBundle: CA_BUNDLE }
    expect(after).toEqual(webhookConfiguration(kind, 'hooks', [turned, url]))
  },
)

test('leaves what it is given untouched', () => {
  const service = { service: { namespace: 'a', name: 'b' } }
  const hooks = webhookConfiguration('ValidatingWebhookConfiguration', 'hooks', [service])
  const definition = crd('foos', serviceConversion('a', 'b'))
  const copies = structuredClone([hooks, definition])

  rewriteWebhooks([hooks, definition], TARGET)

  expect([hooks, definition]).toEqual(copies)
})

test.for([
  ['127.0.0.1', '/x', 'https://127.0.0.1:9443/x'],
  ['localhost', undefined, 'https://localhost:9443/'],
  ['::1', '/x', 'https://[::1]:9443/x'],
  ['127.0.0.1', 'x/y', 'https://127.0.0.1:9443/x/y'],
  ['127.0.0.1', '//elsewhere.example/x', 'https://127.0.0.1:9443//elsewhere.example/x'],
  ['127.0.0.1', '/../x', 'https://127.0.0.1:9443/../x'],
] as const)('makes of host %s and path %s the URL %s', ([host, path, url]) => {
  const service = { namespace: 'a', name: 'b', ...(path === undefined ? {} : { path }) }
  const hooks = webhookConfiguration('ValidatingWebhookConfiguration', 'hooks', [{ service }])

  const [after] = rewriteWebhooks([hooks], { ...TARGET, host })

  expect(after).toMatchObject({ webhooks: [{ clientConfig: { url } }] })
})

test('turns the conversion of a custom resource definition', () => {
  const after = rewriteConversion(crd('foos', serviceConversion('a', 'b')), TARGET)

  expect(after).toEqual(
    crd('foos', {
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { url: 'https://127.0.0.1:9443/convert', caBundle: CA_BUNDLE },
        },
      },
    }),
  )
  expect(rewriteWebhooks([crd('foos', serviceConversion('a', 'b'))], TARGET)).toEqual([after])
})

test.for([
  crd('foos'),
  crd('foos', { conversion: { strategy: 'None' } }),
  crd('foos', { conversion: { webhook: { clientConfig: { url: 'https://x/' } } } }),
  { ...crd('foos'), spec: 'odd' },
  { apiVersion: 'v1', kind: 'Pod', metadata: {}, webhooks: [{ clientConfig: { service: {} } }] },
  { apiVersion: 'x', kind: 'ValidatingWebhookConfiguration', metadata: {} },
  { apiVersion: 'x', kind: 'ValidatingWebhookConfiguration', metadata: {}, webhooks: [1, {}] },
])('leaves alone what names no Service: %#', (object) => {
  expect(rewriteWebhooks([object], TARGET)).toEqual([object])
})
