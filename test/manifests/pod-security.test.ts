import { expect, test } from 'vitest'
import {
  namespaceKeeperManifests,
  planeManifests,
} from '../../src/manifests/render/plane-manifests.ts'
import { recordsAt } from '../../src/shared/json-fields.ts'
import { manifestInputOf } from './manifest-input-of.ts'
import { podsOf } from './pods-of.ts'

// What Pod Security `restricted` asks for, and what the images of upstream need beside it
// (kubernetes.io/docs/concepts/security/pod-security-standards).

const PODS = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const
const pods = podsOf(planeManifests(manifestInputOf({ preset: 'ha' })))
const CLOSED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}
const WITHOUT_IDS = {
  runAsNonRoot: true,
  fsGroupChangePolicy: 'OnRootMismatch',
  seccompProfile: { type: 'RuntimeDefault' },
}

test('has the checked pods, with one container each', () => {
  expect(Object.keys(pods).toSorted()).toEqual(PODS.toSorted())
  for (const { spec } of Object.values(pods)) {
    expect(spec.containers).toHaveLength(1)
    expect(spec['initContainers']).toBeUndefined()
  }
})

test.for(PODS)('runs %s as a user without files', (name) => {
  const ids = { runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 }

  expect(pods[name]?.spec['securityContext']).toEqual({ ...WITHOUT_IDS, ...ids })
})

test.for([
  ['etcd', {}],
  ['kube-apiserver', { add: ['NET_BIND_SERVICE'] }],
  ['kube-controller-manager', {}],
] as const)('allows %s only what its binary requires', ([name, more]) => {
  expect(pods[name]?.spec.containers[0]?.['securityContext']).toEqual({
    ...CLOSED,
    capabilities: { drop: ['ALL'], ...more },
  })
})

test.for(PODS)('gives %s no information about the host cluster', (name) => {
  const closed = { automountServiceAccountToken: false, enableServiceLinks: false }
  expect(pods[name]?.spec).toMatchObject(closed)
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'serviceAccountName']) {
    expect(pods[name]?.spec).not.toHaveProperty(field)
  }
})

test.for(PODS)('makes the keys of %s readable for its user alone, and read-only', (name) => {
  const volumes = JSON.stringify(pods[name]?.spec['volumes'])
  const mounts = pods[name]?.spec.containers[0]?.['volumeMounts']

  expect(volumes).toContain(`"defaultMode":${String(0o440)}`)
  expect(mounts).toContainEqual({ name: 'pki', mountPath: '/etc/vplane/pki', readOnly: true })
})

test('gives the pod of the keeper no Secret of a plane, and lets it read those by name', () => {
  const backup = { schedule: 'daily', store: 's3://backups', secret: 's3' }
  const input = manifestInputOf({ backup })
  const { keeper } = podsOf(namespaceKeeperManifests(input))
  const [container] = keeper?.spec.containers ?? []

  const { runAsNonRoot, seccompProfile } = WITHOUT_IDS
  expect(keeper?.spec['securityContext']).toEqual({
    runAsNonRoot,
    seccompProfile,
    runAsUser: 65_532,
    runAsGroup: 65_532,
  })
  expect(container?.['securityContext']).toEqual(CLOSED)
  expect(JSON.stringify(keeper)).not.toContain('"secret')
  const roles = [...planeManifests(input), ...namespaceKeeperManifests(input)].filter(
    ({ kind }) => kind === 'Role',
  )
  const secretRules = roles
    .flatMap((role) => recordsAt(role, 'rules'))
    .filter(({ resources }) => JSON.stringify(resources).includes('secrets'))
  expect(secretRules).toEqual([
    {
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: ['vplane-dev-keeper', 's3'],
      verbs: ['get'],
    },
  ])
})

test('gives the gateway, which strangers talk to, two ConfigMaps and nothing of a plane', () => {
  const objects = namespaceKeeperManifests(manifestInputOf({ idle: '1h', wake: { by: 'any' } }))
  const { gateway } = podsOf(objects)
  const role = objects.find(
    ({ kind, metadata }) => kind === 'Role' && metadata.name === 'vplane-gateway',
  )

  expect(gateway?.spec.containers[0]?.['securityContext']).toEqual(CLOSED)
  expect(JSON.stringify(gateway)).not.toContain('"secret')
  expect(role?.['rules']).toEqual([
    {
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: ['vplane-gateway-planes'],
      verbs: ['get', 'list', 'watch'],
    },
    {
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: ['vplane-gateway-wakes'],
      verbs: ['get', 'patch'],
    },
  ])
})

test('has a gateway only where any client wakes a plane', () => {
  const names = (wake: object) =>
    namespaceKeeperManifests(manifestInputOf({ idle: '1h', ...wake })).map(
      ({ metadata }) => metadata.name,
    )

  expect(names({})).not.toContain('vplane-gateway')
  expect(names({ wake: { by: 'any' } })).toContain('vplane-gateway')
})

test('leaves ids to a host that gives them', () => {
  const objects = planeManifests(manifestInputOf({}, { hostGivesIds: true }))

  for (const { spec } of Object.values(podsOf(objects))) {
    expect(spec['securityContext']).toEqual(WITHOUT_IDS)
  }
})
