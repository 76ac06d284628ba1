import { expect, test } from 'vitest'
import { formatMap } from '../../../../src/syncer/translate/pods/downward-field.ts'
import { CONTEXT, allowing, hostSpec, podWith, refusalsOf, translated } from './some-pods.ts'

test.for([
  [
    'a ConfigMap',
    { configMap: { name: 'app', items: [{ key: 'a', path: 'a' }], optional: true } },
    { configMap: { name: 'app-x-shop-x-dev', items: [{ key: 'a', path: 'a' }], optional: true } },
    { configMaps: ['app'] },
  ],
  [
    'a Secret',
    { secret: { secretName: 'db', defaultMode: 288 } },
    { secret: { secretName: 'db-x-shop-x-dev', defaultMode: 288 } },
    { secrets: ['db'] },
  ],
  [
    'a claim',
    { persistentVolumeClaim: { claimName: 'data', readOnly: true } },
    { persistentVolumeClaim: { claimName: 'data-x-shop-x-dev', readOnly: true } },
    { claims: ['data'] },
  ],
  [
    'a claim that the plane makes for the pod',
    { ephemeral: { volumeClaimTemplate: { spec: {} } } },
    { persistentVolumeClaim: { claimName: 'web-v-x-shop-x-dev' } },
    { claims: ['web-v'] },
  ],
  ['an empty folder', { emptyDir: { medium: 'Memory' } }, { emptyDir: { medium: 'Memory' } }, {}],
  ['nothing', {}, { emptyDir: {} }, {}],
  ['an image', { image: { reference: 'a/b' } }, { image: { reference: 'a/b' } }, {}],
] as const)('mounts %s', ([, virtual, host, needs]) => {
  const pod = podWith({ volumes: [{ name: 'v', ...virtual }] })

  expect(hostSpec(pod)['volumes']).toEqual([{ name: 'v', ...host }])
  expect(translated(pod).needs).toMatchObject(needs)
})

test('gives a pod the plane’s token, root certificate and namespace', () => {
  const projected = {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [
            { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } },
          ],
        },
      },
    ],
  }
  const pod = podWith({
    serviceAccountName: 'robot',
    volumes: [{ name: 'kube-api-access-abcde', projected }],
  })
  const { needs } = translated(pod)
  const [token] = needs.tokens

  expect(needs.configMaps).toEqual(['kube-root-ca.crt'])
  expect(needs.tokens).toEqual([
    {
      secretName: expect.stringMatching(/^web-tokens-uid-of-web-.*[0-9a-f]{20}$/),
      key: 'token',
      path: 'token',
      account: 'robot',
      expirationSeconds: 3607,
    },
  ])
  expect(hostSpec(pod)['volumes']).toEqual([
    {
      name: 'kube-api-access-abcde',
      projected: {
        defaultMode: 420,
        sources: [
          { secret: { name: token?.secretName, items: [{ key: 'token', path: 'token' }] } },
          {
            configMap: {
              name: expect.stringMatching(/^kube-root-ca-crt-shop-dev-/),
              items: [{ key: 'ca.crt', path: 'ca.crt' }],
            },
          },
          {
            downwardAPI: {
              items: [
                {
                  path: 'namespace',
                  fieldRef: { fieldPath: "metadata.annotations['vplane.dev/virtual-namespace']" },
                },
              ],
            },
          },
        ],
      },
    },
  ])
})

test('keeps the audiences of tokens, and each in a Secret of its own', () => {
  const sources = [
    { serviceAccountToken: { path: 'vault', audience: 'vault', expirationSeconds: 600 } },
    { serviceAccountToken: { path: 'api' } },
  ]
  const pod = podWith({
    securityContext: { fsGroup: 1000 },
    volumes: [{ name: 'v', projected: { sources } }],
  })
  const [vault, api] = translated(pod).needs.tokens

  expect(vault).toMatchObject({ audience: 'vault', expirationSeconds: 600, account: 'default' })
  expect(api).toMatchObject({ expirationSeconds: 3600 })
  expect(api).not.toHaveProperty('audience')
  expect(api?.secretName).not.toBe(vault?.secretName)
  expect(hostSpec(pod)['volumes']).toMatchObject([
    { projected: { sources: [{ secret: { items: [{ mode: 0o600 }] } }, {}] } },
  ])
})

test('gives the next pod of the same name other tokens', () => {
  const volumes = [{ name: 'v', projected: { sources: [{ serviceAccountToken: {} }] } }]
  const [one, next] = ['1', '2'].map(
    (uid) => translated(podWith({ volumes }, { uid })).needs.tokens,
  )

  expect(one?.[0]?.secretName).not.toBe(next?.[0]?.secretName)
})

test('writes labels and annotations into files as the plane has them', () => {
  const items = [
    { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
    { path: 'annotations', fieldRef: { fieldPath: 'metadata.annotations' } },
    { path: 'name', fieldRef: { fieldPath: 'metadata.name' } },
    { path: 'uid', fieldRef: { fieldPath: 'metadata.uid' } },
    { path: 'one', fieldRef: { fieldPath: "metadata.labels['vplane.dev/name']" } },
    { path: 'kept', fieldRef: { fieldPath: "metadata.annotations['vplane.dev/plane-id']" } },
    { path: 'cpu', resourceFieldRef: { containerName: 'main', resource: 'limits.cpu' } },
  ]
  const pod = podWith(
    { volumes: [{ name: 'v', downwardAPI: { items } }] },
    { labels: { b: '2', a: '1' }, annotations: { 'vplane.dev/plane-id': 'mine' } },
  )
  const { annotations = {} } = translated(pod).pod.metadata

  expect(annotations).toMatchObject({
    'vplane.dev/downward-labels': 'a="1"\nb="2"',
    'vplane.dev/downward-annotations': 'vplane.dev/plane-id="mine"',
    'vplane.dev/plane-id': '6f9d3a3e-kube-system',
  })
  const [kept] = Object.entries(annotations).find(([, value]) => value === 'mine') ?? []
  expect(hostSpec(pod)['volumes']).toMatchObject([
    {
      downwardAPI: {
        items: [
          { fieldRef: { fieldPath: "metadata.annotations['vplane.dev/downward-labels']" } },
          { fieldRef: { fieldPath: "metadata.annotations['vplane.dev/downward-annotations']" } },
          { fieldRef: { fieldPath: "metadata.annotations['vplane.dev/virtual-name']" } },
          { fieldRef: { fieldPath: "metadata.annotations['vplane.dev/virtual-uid']" } },
          { fieldRef: { fieldPath: expect.stringMatching(/vplane\.dev\/label-[0-9a-f]{16}'/) } },
          { fieldRef: { fieldPath: `metadata.annotations['${kept}']` } },
          { resourceFieldRef: { containerName: 'main' } },
        ],
      },
    },
  ])
})

test('quotes values like Go', () => {
  expect(
    formatMap({ b: 'tab\t"quoted" \\ \u0001\u007F', a: 'line\nnext', c: 'ü\u200B\u{E0001}' }),
  ).toBe('a="line\\nnext"\nb="tab\\t\\"quoted\\" \\\\ \\x01\\x7f"\nc="ü\\u200b\\U000e0001"')
})

test.for([
  ['hostPath', { hostPath: { path: '/' } }, 'sync.pods.allow: [hostPath]'],
  ['csi', { csi: { driver: 'secrets-store' } }, 'sync.pods.csiDrivers: [secrets-store]'],
  ['cephfs', { cephfs: { secretRef: { name: 'x' } } }, 'use one of'],
  [
    'projected.sources[0].clusterTrustBundle',
    { projected: { sources: [{ clusterTrustBundle: { path: 'x' } }] } },
    'would be the host',
  ],
  ['configMap.name', { configMap: { optional: true } }, 'must name an object'],
] as const)('refuses %s', ([field, volume, why]) => {
  const [refusal, ...others] = refusalsOf(podWith({ volumes: [{ name: 'v', ...volume }] }))

  expect(refusal).toContain(`spec.volumes[v].${field}`)
  expect(refusal).toContain(why)
  expect(others).toEqual([])
})

test('mounts what the policy allows', () => {
  const csi = { driver: 'secrets-store', nodePublishSecretRef: { name: 'key' } }
  const policy = { allow: [], csiDrivers: ['secrets-store'] }
  const path = { name: 'v', hostPath: { path: '/var/log', type: 'Directory' } }

  expect(hostSpec(podWith({ volumes: [path] }), allowing('hostPath'))['volumes']).toEqual([path])
  expect(
    hostSpec(podWith({ volumes: [{ name: 'v', csi }] }), { ...CONTEXT, policy })['volumes'],
  ).toEqual([
    {
      name: 'v',
      csi: { driver: 'secrets-store', nodePublishSecretRef: { name: 'key-x-shop-x-dev' } },
    },
  ])
})
