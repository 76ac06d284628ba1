import { expect, test } from 'vitest'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import type { Manifest } from '../../../src/manifests/manifest.ts'
import type { TemplateOverlay } from '../../../src/manifests/templates/load-templates.ts'
import type { ManifestInput } from '../../../src/manifests/templates/manifest-input.ts'
import { planeManifests } from '../../../src/manifests/render/plane-manifests.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { manifestInputOf } from '../manifest-input-of.ts'
import { podsOf } from '../pods-of.ts'

const manifestsOf = (user: UserSpec = {}, changes: Partial<ManifestInput> = {}) =>
  planeManifests(manifestInputOf(user, changes))

const find = (objects: readonly Manifest[], kind: string, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === `vplane-dev-${name}`)

/** One more template, or another one, of this text. */
function overlayWith(path: string, text: string): TemplateOverlay {
  return { folder: '/home/me/templates', files: { [path]: text } }
}

test('has the endpoint first, then what pods need, and workloads last', () => {
  const objects = manifestsOf({ preset: 'ha', expose: { type: 'ingress', host: 'a.test' } })
  const kinds = objects.map(({ kind }) => kind)

  expect(objects[0]).toMatchObject({ kind: 'Service', metadata: { name: 'vplane-dev-api' } })
  expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).toEqual([
    'Service',
    'Ingress',
    'Secret',
    'ConfigMap',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'StatefulSet',
    'Deployment',
  ])
})

test('labels every object and every pod with its plane, whatever the user adds', () => {
  const objects = manifestsOf({ preset: 'ha', pods: { labels: { team: 'a' } } })
  const labels = { 'app.kubernetes.io/managed-by': 'vplane', 'vplane.dev/name': 'dev' }

  for (const { metadata } of objects) {
    expect(metadata.labels).toMatchObject(labels)
    expect(metadata.namespace).toBe('team-a')
  }
  for (const [component, pod] of Object.entries(podsOf(objects))) {
    const own = { team: 'a', 'vplane.dev/component': component }
    expect(pod.metadata.labels).toEqual({ ...labels, ...own })
  }
})

test.for([
  [{}, []],
  [{ nodes: true, metrics: false }, ['nodes']],
  // The nodes themselves, and their metrics.
  [{ nodes: true }, ['nodes', 'nodes']],
  [{ classes: true }, ['storageclasses', 'ingressclasses', 'runtimeclasses', 'priorityclasses']],
] as const)('lets a syncer with %j read %j of the whole host, and no more', ([sync, resources]) => {
  const wide = manifestsOf({ sync }).filter(({ kind }) => kind.startsWith('Cluster'))
  const rules = wide.flatMap((object) => Object(object['rules'] ?? []))

  expect(rules.flatMap((rule: { resources: string[] }) => rule.resources)).toEqual(resources)
  expect(wide.map(({ kind }) => kind)).toEqual(
    resources.length === 0 ? [] : ['ClusterRole', 'ClusterRoleBinding'],
  )
  for (const { metadata } of wide) {
    expect(metadata).not.toHaveProperty('namespace')
    expect(metadata).toMatchObject({
      name: 'vplane:team-a:dev:syncer',
      labels: { 'vplane.dev/name': 'dev', 'vplane.dev/namespace': 'team-a' },
    })
  }
})

test('has budgets for components with several pods, and none that blocks a drain', () => {
  expect(manifestsOf().filter(({ kind }) => kind === 'PodDisruptionBudget')).toEqual([])

  const budgets = manifestsOf({ preset: 'ha' }).filter(({ kind }) => kind === 'PodDisruptionBudget')

  expect(budgets.map(({ metadata }) => metadata.name)).toEqual([
    'vplane-dev-etcd',
    'vplane-dev-kube-apiserver',
  ])
  for (const { spec } of budgets) {
    expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' })
  }
})

test.for([2, 3])('lets each of %i kube-apiservers announce itself while it runs', (replicas) => {
  const objects = manifestsOf({ apiServer: { replicas } })

  const [container] = podsOf(objects)['kube-apiserver']?.spec.containers ?? []

  expect(find(objects, 'Deployment', 'kube-apiserver')?.['spec']).toMatchObject({ replicas })
  expect(container?.args).toContain('--endpoint-reconciler-type=lease')
  // Leases are told apart by this address.
  expect(container?.args).toContain('--advertise-address=$(POD_IP)')
  expect(container?.env).toContainEqual({
    name: 'POD_IP',
    valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } },
  })
})

test('has no pods while the plane is paused', () => {
  const objects = manifestsOf({ preset: 'ha' }, { desired: 'paused' })

  for (const [kind, name] of [
    ['StatefulSet', 'etcd'],
    ['Deployment', 'kube-apiserver'],
    ['Deployment', 'kube-controller-manager'],
  ] as const) {
    expect(find(objects, kind, name)?.['spec']).toMatchObject({ replicas: 0 })
  }
})

const CHANGES: Array<[Partial<ManifestInput>, 'secret' | 'configuration', string[]]> = [
  [{ files: { 'sa.key': 'other' } }, 'secret', ['kube-apiserver', 'kube-controller-manager']],
  [{ files: { 'etcd/ca.crt': 'other' } }, 'secret', ['etcd', 'kube-apiserver']],
  [{ files: { 'apiserver.crt': 'other' } }, 'secret', []],
  [{ initialState: 'existing' }, 'configuration', []],
  [{ namespace: 'team-b' }, 'configuration', ['etcd', 'kube-controller-manager']],
]

test.for(CHANGES)('sees in %j as a change of the %s what replaces the pods of %j', (one) => {
  const [{ files, ...changes }, what, replaced] = one
  const checksumsOf = (changed: Partial<ManifestInput>) =>
    Object.entries(podsOf(manifestsOf({}, changed))).map(
      ([name, { metadata }]) =>
        [name, metadata.annotations[`vplane.dev/${what}-checksum`]] as const,
    )

  const before = new Map(checksumsOf({}))
  const after = checksumsOf({ ...changes, files: { ...manifestInputOf().files, ...files } })

  expect(after.filter(([name, sum]) => before.get(name) !== sum).map(([name]) => name)).toEqual(
    replaced,
  )
})

test('does not replace pods when who may log in changes: kube-apiserver reads that again', () => {
  const [before, after] = [{}, { authentication: { jwt: [{ issuer: {} }] } }].map((user) =>
    manifestsOf(user),
  )

  expect(podsOf(after ?? [])).toEqual(podsOf(before ?? []))
  expect(find(after ?? [], 'ConfigMap', 'kube-apiserver')).not.toEqual(
    find(before ?? [], 'ConfigMap', 'kube-apiserver'),
  )
})

test('replaces a template of vplane by one of the user', () => {
  const text = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: ${etcd.name}\nspec: {mine: 1}\n'
  const objects = manifestsOf({}, { templates: overlayWith('etcd/service.yaml', text) })

  expect(find(objects, 'Service', 'etcd')?.['spec']).toEqual({ mine: 1 })
  expect(objects).toHaveLength(manifestsOf().length)
})

test('leaves out what a template of the user empties', () => {
  const templates = overlayWith('etcd/network-policy.yaml', '# nothing\n')

  expect(find(manifestsOf({}, { templates }), 'NetworkPolicy', 'etcd-access')).toBeUndefined()
})

test('adds templates of the user before the workloads, with the labels of the plane', () => {
  const text = `apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata:
  name: watch-\${plane.name}
  labels: {release: prometheus, vplane.dev/name: wrong}
spec:
  selector: {matchLabels: "\${etcd.selector}"}
`
  const objects = manifestsOf({}, { templates: overlayWith('monitoring/etcd.yaml', text) })
  const index = objects.findIndex(({ kind }) => kind === 'PodMonitor')

  expect(objects[index]).toMatchObject({
    metadata: {
      name: 'watch-dev',
      namespace: 'team-a',
      labels: {
        release: 'prometheus',
        'vplane.dev/name': 'dev',
        'app.kubernetes.io/managed-by': 'vplane',
      },
    },
    spec: { selector: { matchLabels: { 'vplane.dev/component': 'etcd' } } },
  })
  expect(objects[index + 1]?.kind).toBe('StatefulSet')
})

test.for([
  ['kind: Service\n', 'an object without kind or name'],
  ['- a\n', 'an object without kind or name'],
  ['apiVersion: v1\nkind: Secret\nmetadata: {}\n', 'an object without kind or name'],
  [
    'apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: b}\n',
    '"a" is for the namespace "b", the plane is in "team-a"',
  ],
  ['a: ${plane.nam}\n', 'line 1: there is no value "${plane.nam}"'],
] as const)('refuses a template %j, and names its file', ([text, reason]) => {
  const templates = overlayWith('mine/one.yaml', text)

  const error = thrownBy(() => manifestsOf({}, { templates }))

  expect(error.code).toBe('INVALID_SPEC')
  expect(error.message).toContain('/home/me/templates/mine/one.yaml')
  expect(error.message).toContain(reason)
})

test('refuses managed flags like every driver does', () => {
  const user = { apiServer: { extraArgs: { 'etcd-servers': 'http://evil' } } }

  expect(thrownBy(() => manifestsOf(user)).message).toContain('"--etcd-servers"')
})
