import { expect, test } from 'vitest'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { planeManifests } from '../../../src/manifests/render/plane-manifests.ts'
import { recordAt, recordsAt } from '../../../src/shared/json-fields.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { manifestInputOf } from '../manifest-input-of.ts'

const render = (user: UserSpec) => planeManifests(manifestInputOf(user))
const templateOf = (user: UserSpec, component: string) => {
  const found = render(user).find(
    ({ kind, metadata }) =>
      ['Deployment', 'StatefulSet'].includes(kind) && metadata.name === `vplane-dev-${component}`,
  )
  return recordAt(found, 'spec', 'template')
}
const namesIn = (template: unknown, list: string) =>
  recordsAt(template, 'spec', list).map(({ name }) => name)

test('adds containers, volumes, labels and environment variables to the pods of one component', () => {
  const user: UserSpec = {
    etcd: {
      podTemplate: {
        metadata: { labels: { tier: 'data' }, annotations: { note: 'x' } },
        spec: {
          dnsPolicy: 'Default',
          tolerations: [{ operator: 'Exists' }],
          volumes: [{ name: 'spare', emptyDir: {} }],
          containers: [
            { name: 'etcd', env: [{ name: 'TZ', value: 'UTC' }] },
            { name: 'watcher', image: 'example.com/watcher:1' },
          ],
        },
      },
    },
  }
  const template = templateOf(user, 'etcd')
  const plain = templateOf({}, 'etcd')
  const [own] = recordsAt(template, 'spec', 'containers')

  expect(template).toMatchObject({
    metadata: {
      labels: { tier: 'data', 'vplane.dev/component': 'etcd' },
      annotations: { note: 'x' },
    },
    spec: { dnsPolicy: 'Default', tolerations: [{ operator: 'Exists' }] },
  })
  expect(namesIn(template, 'containers')).toEqual(['etcd', 'watcher'])
  expect(namesIn(template, 'volumes')).toEqual([...namesIn(plain, 'volumes'), 'spare'])
  expect(recordsAt(own, 'env').map(({ name }) => name)).toEqual([
    'POD_NAME',
    'GOGC',
    'GOMEMLIMIT',
    'TZ',
  ])
  expect(own).toMatchObject({
    ...recordsAt(plain, 'spec', 'containers')[0],
    env: expect.anything(),
  })
  expect(templateOf(user, 'kube-apiserver')).toEqual(templateOf({}, 'kube-apiserver'))
})

test('may repeat what vplane sets', () => {
  const spec = { automountServiceAccountToken: false, containers: [{ name: 'kube-apiserver' }] }

  expect(templateOf({ apiServer: { podTemplate: { spec } } }, 'kube-apiserver')).toEqual(
    templateOf({}, 'kube-apiserver'),
  )
})

test.each([
  [
    { containers: [{ name: 'etcd', image: 'x' }] },
    '.spec.containers[etcd].image',
    'images.registry',
  ],
  [
    {
      containers: [
        { name: 'etcd', args: [] },
        { name: 'etcd', command: ['sh'] },
      ],
    },
    'containers[etcd]"',
    '',
  ],
  [
    { containers: [{ name: 'etcd', resources: { limits: { memory: '9Gi' } } }] },
    'resources.limits.memory',
    'etcd.resources',
  ],
  [{ volumes: [{ name: 'pki', emptyDir: {} }] }, 'volumes[pki]"', ''],
  [{ securityContext: { runAsNonRoot: false } }, 'securityContext.runAsNonRoot', ''],
  [{ containers: 'etcd' }, 'spec.containers', ''],
])('refuses to change what vplane sets: %j', (spec, path, hint) => {
  const error = thrownBy(() => render({ etcd: { podTemplate: { spec } } }))

  expect(error).toMatchObject({ code: 'INVALID_SPEC' })
  expect(error.message).toContain(path)
  expect(JSON.stringify(error.hints)).toContain(hint)
})

test('refuses labels by which vplane finds the pods', () => {
  const metadata = { labels: { 'app.kubernetes.io/component': 'x' } }
  const own = thrownBy(() =>
    render({ etcd: { podTemplate: { metadata: { labels: { 'vplane.dev/component': 'x' } } } } }),
  )

  expect(own).toMatchObject({ code: 'INVALID_SPEC' })
  expect(() => render({ etcd: { podTemplate: { metadata } } })).not.toThrow()
})
