import { resolveSpec } from '../../../control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../control-plane/spec/spec.ts'
import { isClusterWide } from '../../../manifests/manifest.ts'
import { planeManifests } from '../../../manifests/render/plane-manifests.ts'
import type { PolicyRule } from '../../../manifests/values/syncer-rules.ts'
import { hostResourceOf } from '../host/host-resource.ts'
import { bookkeeping } from '../preflight/preflight.ts'
import { grantedRights, neededRights } from '../preflight/rights/needed-rights.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

/** A plane with every object that one can have. */
const FULLEST: UserSpec = {
  preset: 'ha',
  expose: { type: 'ingress', host: 'plane.example.com' },
  sync: { nodes: true, scheduler: 'virtual', classes: true },
  policies: { network: {} },
  metrics: { serviceMonitor: true },
}

/** What the operator reads beside planes, to say early what prevents them. */
const READS: Array<Omit<PolicyRule, 'resourceNames'> & { isClusterWide?: boolean }> = [
  // A Role grants it for the own namespace.
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
  { apiGroups: [''], resources: ['resourcequotas', 'limitranges'], verbs: ['list'] },
  {
    apiGroups: ['storage.k8s.io'],
    resources: ['storageclasses'],
    verbs: ['get', 'list'],
    isClusterWide: true,
  },
]

/** With them, endpoints of planes that sleep lead to the gateway in the operator's namespace. */
const SLICES = {
  group: 'discovery.k8s.io',
  resource: 'endpointslices',
  verbs: ['create', 'delete', 'get', 'list', 'update'],
}

/** Objects of planes whose changes it sees without asking for them. */
const WATCHED: ReadonlyArray<readonly [group: string, resource: string]> = [
  ['', 'serviceaccounts'],
  ['apps', 'deployments'],
  ['apps', 'statefulsets'],
  ['rbac.authorization.k8s.io', 'rolebindings'],
  ['rbac.authorization.k8s.io', 'roles'],
]

const CONTROL_PLANES: PolicyRule[] = [
  {
    apiGroups: ['vplane.dev'],
    resources: ['controlplanes'],
    verbs: ['get', 'list', 'watch', 'patch', 'update'],
  },
  {
    apiGroups: ['vplane.dev'],
    resources: ['controlplanes/status'],
    verbs: ['get', 'patch', 'update'],
  },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
  // Whether a namespace permits a plane to write a Secret with a credential there.
  {
    apiGroups: ['authorization.k8s.io'],
    resources: ['localsubjectaccessreviews'],
    verbs: ['create'],
  },
]

/** For NestedControlPlanes, which have namespaces of their own. */
const NESTED: PolicyRule[] = [
  {
    apiGroups: ['nested.vplane.dev'],
    resources: ['nestedcontrolplanes', 'nestedetcds', 'nestedkases', 'nestedkcms', 'nestedpkis'],
    verbs: ['create', 'get', 'list', 'patch', 'update', 'watch'],
  },
  {
    apiGroups: ['nested.vplane.dev'],
    resources: [
      'nestedcontrolplanes/status',
      'nestedetcds/status',
      'nestedkases/status',
      'nestedkcms/status',
      'nestedpkis/status',
    ],
    verbs: ['get', 'patch', 'update'],
  },
  {
    apiGroups: ['nested.vplane.dev'],
    resources: ['nestedcontrolplanetemplates'],
    verbs: ['get', 'list', 'watch'],
  },
  { apiGroups: ['vplane.dev'], resources: ['controlplanes'], verbs: ['create', 'delete'] },
  // Who writes a template decides what the ControlPlanes of it use.
  {
    apiGroups: ['vplane.dev'],
    resources: ['backupstores', 'images', 'podtemplates'],
    verbs: ['use'],
  },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['create', 'delete', 'get'] },
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['list', 'watch'] },
  { apiGroups: ['cluster.x-k8s.io'], resources: ['clusters'], verbs: ['get'] },
]

/**
 * The permissions of an operator: those of a user who creates, uses and deletes planes, and those that planes grant to
 * their syncers. In one namespace it makes no planes with nodes or classes of the host, which need rights outside.
 */
export function operatorRules(scope: 'cluster' | 'namespace'): PolicyRule[] {
  const isWide = scope === 'cluster'
  const place = { name: 'dev', namespace: 'default' }
  const manifests = planeManifests({
    ...place,
    ...recordOf(FULLEST),
    files: {},
    initialState: 'new',
    desired: 'running',
    programOf: () => '',
  })
  const objects = [...manifests, ...bookkeeping(place)]
  const resources = objects
    .filter((object) => isWide || !isClusterWide(object))
    .map((object) => hostResourceOf(object, place.namespace))
  const granted = [
    ...grantedRights(objects),
    ...(isWide ? grantedRights(objects, 'ClusterRole') : []),
    ...SLICES.verbs.map((verb) => ({ ...SLICES, verb, isVital: true })),
    ...WATCHED.map(([group, resource]) => ({ group, resource, verb: 'watch', isVital: true })),
  ]
  return [
    ...CONTROL_PLANES,
    ...(isWide ? NESTED : []),
    ...READS.filter(({ isClusterWide: isOutside = false }) => isWide || !isOutside).map(
      ({ apiGroups, resources: read, verbs }) => ({ apiGroups, resources: read, verbs }),
    ),
    ...rulesOf(neededRights(resources, granted)),
  ]
}

/** One rule for the resources of a group with the same verbs. */
function rulesOf(
  rights: ReadonlyArray<{ group: string; resource: string; verb: string }>,
): PolicyRule[] {
  const verbs = Map.groupBy(rights, ({ group, resource }) => `${group}/${resource}`)
  const rules = Map.groupBy(verbs.values(), (same) => [same[0]?.group, ...verbsOf(same)].join(' '))
  return [...rules.values()]
    .map((same) => ({
      apiGroups: [...new Set(same.map(([first]) => first?.group ?? ''))],
      resources: same.map(([first]) => first?.resource ?? ''),
      verbs: verbsOf(same[0] ?? []),
    }))
    .toSorted((left, right) => (String(left.apiGroups) < String(right.apiGroups) ? -1 : 1))
}

function verbsOf(rights: ReadonlyArray<{ verb: string }>): string[] {
  return [...new Set(rights.map(({ verb }) => verb))].toSorted((left, right) =>
    left < right ? -1 : 1,
  )
}

function recordOf(userSpec: UserSpec): PlaneRecord {
  return {
    formatVersion: 1,
    writtenBy: '',
    id: '',
    name: 'dev',
    createdAt: '',
    desired: 'running',
    hasKeys: false,
    isComplete: false,
    hasData: false,
    createdNamespace: false,
    userSpec,
    spec: resolveSpec(userSpec, 'kubernetes'),
  }
}
