import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordsAt } from '../../src/shared/json-fields.ts'
import { waitFor } from '../../src/shared/wait.ts'
import { EVERYTHING } from '../manifests/variants.ts'
import { BORROWED, SYNC } from './borrowed-rights.ts'
import {
  binding,
  type Grant,
  granted,
  type PolicyPlane,
  startPolicyPlane,
  TEAM,
} from './policy-plane.ts'

const ALL = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']
/** A namespace with limits. */
const SMALL = 'small-team'

/** What the editor of a namespace has, but for the right to read Secrets and to have Ingresses. */
const PARTS: Grant[] = [
  ['', ['pods', 'services', 'configmaps', 'persistentvolumeclaims', 'secrets'], ['create']],
  ['apps', ['deployments', 'statefulsets'], ['create']],
  ['networking.k8s.io', ['networkpolicies'], ['create']],
  ['policy', ['poddisruptionbudgets'], ['create']],
]

/** One with `sync` lacks rights of several policies. Any of them may answer. */
const REFUSED = [
  ['nobody', {}, 'create pods'],
  ['maker', { images: { pullSecrets: ['mirror'] } }, 'get secrets "mirror"'],
  [
    'maker',
    { backup: { schedule: 'daily', store: 's3://backups', secret: 's3' } },
    'get secrets "s3"',
  ],
  [
    'maker',
    { store: { kine: { mysql: { host: 'db.example.com', credentialsSecret: 'owner' } } } },
    'get secrets "owner"',
  ],
  [
    'maker',
    { apiServer: { podTemplate: { spec: { hostPID: true } } } },
    'use podtemplates.vplane.dev',
  ],
  ['maker', { expose: { type: 'ingress', host: 'a.example.com' } }, 'create ingresses'],
  ['maker', { sync: SYNC }, '"sync'],
] as const

describe('a plane with the policies for ControlPlanes', () => {
  let host: PolicyPlane
  const refusalOf = async (...request: Parameters<PolicyPlane['create']>) =>
    (await host.create(...request)).stderr
  const until = (what: string, isSo: () => Promise<boolean>) =>
    waitFor(isSo, { what, timeoutMs: 60_000 })
  const untilAllowed = (...request: Parameters<PolicyPlane['create']>) =>
    until('a request that is allowed', async () => (await host.create(...request)).code === 0)
  const makeNamespace = (
    name: string,
    { editors, labels }: { editors: string[]; labels?: object },
  ) =>
    host.apply(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } },
      ...granted('planes', [['vplane.dev', ['controlplanes', 'controlplanes/scale'], ALL]], {
        namespace: name,
        users: ['nobody', 'maker', 'puller', ...editors],
      }),
      binding({ kind: 'ClusterRole', name: 'edit' }, { namespace: name, users: editors }),
    )

  beforeAll(async () => {
    host = await startPolicyPlane()
    await makeNamespace(TEAM, { editors: ['editor', ...BORROWED.map(({ what }) => userOf(what))] })
    await makeNamespace(SMALL, { editors: ['editor'] })
    await host.apply(...granted('parts', PARTS, { namespace: TEAM, users: ['maker', 'puller'] }))
    await untilAllowed('editor', { sync: SYNC })
    for (const [user, spec, right] of REFUSED) {
      await until(right, async () => (await refusalOf(user, spec)).includes(right))
    }
  }, 180_000)
  afterAll(() => host[Symbol.asyncDispose]())

  test('has no expression with wrong types', async () => {
    const policies = async () => {
      const list = await host.cli.kubectlOk(['get', 'validatingadmissionpolicies', '-o', 'json'])
      return recordsAt(JSON.parse(list), 'items')
    }
    await until('the check of all types', async () =>
      (await policies()).every(({ status }) => Object.hasOwn(Object(status), 'observedGeneration')),
    )

    const checked = await policies()

    const warnings = checked.flatMap((policy) =>
      recordsAt(policy, 'status', 'typeChecking', 'expressionWarnings'),
    )
    expect(checked.length).toBeGreaterThan(5)
    expect(warnings).toEqual([])
  })

  test.for([
    ['nothing', {}],
    ['pods', { sync: SYNC }],
    ['several syncers', { preset: 'ha', sync: SYNC }],
    ['a load balancer', { expose: { type: 'load-balancer' } }],
    ['an ingress', { expose: { type: 'ingress', host: 'dev.example.com' } }],
    ['Secrets', { images: { pullSecrets: ['a', 'b', 'c', 'd', 'e', 'f'] } }],
    ['backups', { backup: { schedule: 'daily', store: 's3://backups', secret: 's3' } }],
    ['a database', { store: { kine: { postgres: { host: 'db.test', credentialsSecret: 'db' } } } }],
    ['images of default repositories', { keeper: { image: 'docker.io/library/node:25' } }],
    ['settings of pods that it does not run', { sync: { enabled: false, nodes: true } }],
  ] as const)('lets the editor of a namespace declare one with %s', async ([, spec]) => {
    const { code, stderr } = await host.create('editor', spec)

    expect(code, stderr).toBe(0)
  })

  test.for(BORROWED)('refuses an editor $what, until they have the right', async (borrowed) => {
    const { clusterGrants = [], grants = [], has = [], right, spec, what } = borrowed
    const user = userOf(what)
    const refusal = `the right to ${right}, which you do not have`

    await host.apply(...granted(`${user}-before`, has, { users: [user] }))
    await until(refusal, async () => (await refusalOf(user, spec)).includes(refusal))
    await host.apply(
      ...granted(user, grants, { namespace: TEAM, users: [user] }),
      ...granted(user, clusterGrants, { users: [user] }),
    )

    await untilAllowed(user, spec)
  })

  test('lets an admin declare one with everything', async () => {
    const { code, stderr } = await host.create(undefined, EVERYTHING)

    expect(code, stderr).toBe(0)
  })

  test.for(REFUSED)('refuses %s a plane with %j', async ([user, spec, right]) => {
    const refusal = await refusalOf(user, spec)

    expect(refusal).toContain(right)
    expect(refusal).toContain(' needs the right to ')
  })

  test('asks for the right to read those Secrets that a spec names', async () => {
    const specWith = (...pullSecrets: string[]) => ({ images: { pullSecrets } })
    const secrets: Grant = ['', ['secrets'], ['get'], ['mirror']]
    await host.apply(...granted('mirror', [secrets], { namespace: TEAM, users: ['puller'] }))

    await untilAllowed('puller', specWith('mirror'))
    const other = await refusalOf('puller', specWith('mirror', 'other'))
    const many = await refusalOf('puller', specWith(...Array<string>(5).fill('mirror')))

    expect(other).toContain('the right to get secrets "other"')
    expect(many).toContain('the right to get secrets in namespace')
  })

  test('allows privileged pods where Pod Security allows them', async () => {
    const namespace = 'privileged'
    const labels = { 'pod-security.kubernetes.io/enforce': 'privileged' }
    await makeNamespace(namespace, { editors: ['editor'], labels })

    await untilAllowed(
      'editor',
      { sync: { ...SYNC, pods: { allow: ['privileged'] } } },
      { namespace },
    )
  })

  test('asks for what a change brings in', async () => {
    const patch: PolicyPlane['patch'] = (...request) => host.patch(...request)
    const spec = {
      sync: { nodes: true, metrics: false },
      images: { helper: 'example.com/node:24' },
    }
    const created = await host.create(undefined, spec, { name: 'dev' })
    expect(created.code, created.stderr).toBe(0)

    const finalizers = await patch('nobody', { metadata: { finalizers: ['example.com/x'] } })
    const labels = await patch('nobody', { metadata: { finalizers: null, labels: { a: 'b' } } })
    const idle = await patch('nobody', { spec: { idle: '8h' } })
    const replicas = await patch('editor', { spec: { apiServer: { replicas: 2 } } })
    const withoutNodes = await patch('editor', { spec: { sync: { nodes: false } } })
    const withNodes = await patch('editor', { spec: { sync: { nodes: true } } })
    const image = await patch('editor', { spec: { images: { helper: 'example.com/other:24' } } })

    expect(finalizers.stderr + labels.stderr).toBe('')
    expect(idle.stderr).toContain('the right to create pods')
    expect(replicas.stderr + withoutNodes.stderr).toBe('')
    expect(withNodes.stderr).toContain('the right to get, list nodes')
    expect(image.stderr).toContain('use images.vplane.dev "example.com/other"')
  })

  test('counts planes with a ResourceQuota', async () => {
    const namespace = 'counted'
    await makeNamespace(namespace, { editors: ['editor'] })
    const metadata = { name: 'planes', namespace }
    let pods = 0

    await until('the first plane', async () => {
      // The controller of quotas finds new kinds after half a minute, and then only looks at quotas that change.
      const hard = { 'count/controlplanes.vplane.dev': '1', pods: String(++pods) }
      await host.apply({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } })
      return (await host.create('editor', {}, { namespace, name: 'first' })).code === 0
    })
    const second = await refusalOf('editor', {}, { namespace, name: 'second' })

    expect(second).toContain('exceeded quota: planes')
  })

  describe('and ControlPlaneLimits', () => {
    const place = { namespace: SMALL }
    const limits = {
      maxReplicas: 2,
      maxStorageSize: '4Gi',
      presets: ['nano', 'ha'],
      versions: ['1.36', '1.35.4'],
      expose: ['ingress'],
      images: [
        'registry.k8s.io',
        'docker.io/library/node',
        'docker.io/rancher/kine',
        'registry.example.com:5000/a',
        'mirror.test',
      ],
      features: ['sync', 'sync.classes'],
      podPermissions: ['hostPath'],
    }
    const within = { version: '1.36', expose: { type: 'ingress', host: 'a.example.com' } }

    beforeAll(async () => {
      const former = { version: '1.34', preset: 'ha', etcd: { extraArgs: { 'max-wals': '3' } } }
      const created = await host.create(undefined, former, { ...place, name: 'former' })
      const scaled = await host.create(undefined, within, { ...place, name: 'scaled' })
      expect(created.stderr + scaled.stderr).toBe('')
      await host.apply(limitsObject('owner', limits))
      const isLimited = async () => (await refusalOf('editor', {}, place)).includes('versions')
      await until('the limits', isLimited)
    }, 60_000)

    test.for([
      [
        'a preset',
        { preset: 'small' },
        '"preset" is "small", and "presets" in the ControlPlaneLimits "owner" allows: nano, ha',
      ],
      ['a version', { version: '1.35.3' }, '"version" is "1.35.3"'],
      ['no version', { version: undefined }, '"version" is ""'],
      [
        'the members of etcd',
        { etcd: { replicas: 3 } },
        '"etcd.replicas" is "3", and "maxReplicas"',
      ],
      ['the members of a preset', { preset: 'ha' }, '"etcd.replicas" is "3"'],
      ['API servers', { apiServer: { replicas: 3 } }, '"apiServer.replicas" is "3"'],
      ['syncers', { sync: { replicas: 3 } }, '"sync.replicas" is "3"'],
      ['the volumes of etcd', { storage: { size: '4.1Gi' } }, '"storage.size" is "4.1Gi"'],
      ['a way to the API', { expose: { type: 'node-port' } }, '"expose.type" is "node-port"'],
      [
        'a registry',
        { images: { registry: 'registry.example.com:5000' } },
        'is "registry.example.com:5000"',
      ],
      ['another port', { images: { registry: 'mirror.test:5000' } }, 'is "mirror.test:5000"'],
      [
        'an image',
        { sync: { image: 'docker.io/library/node2:24' } },
        'is "docker.io/library/node2:24"',
      ],
      ['nodes', { sync: { nodes: true } }, '"sync.nodes" is not among the "features"'],
      [
        'a service of the host',
        { sync: { hostServices: { 'a.b': 'c.d' } } },
        '"sync.hostServices" is not',
      ],
      ['addresses', { apiServer: { egress: ['*'] } }, '"apiServer.egress" is not'],
      [
        'backups',
        { backup: { schedule: 'daily', store: 's3://backups', secret: 'a' } },
        '"backup" is not',
      ],
      [
        'arguments',
        { scheduler: { extraArgs: { v: '4' } }, sync: { scheduler: 'virtual', nodes: true } },
        'features',
      ],
      [
        'a pod template',
        { etcd: { podTemplate: { metadata: { labels: { a: 'b' } } } } },
        '"podTemplate" is not',
      ],
      ['feature gates', { featureGates: { AllAlpha: true } }, '"featureGates" is not'],
      ['ServiceMonitors', { metrics: { serviceMonitor: true } }, '"metrics.serviceMonitor" is not'],
      [
        'a permission',
        { sync: { pods: { allow: ['hostPath', 'hostPID'] } } },
        '"sync.pods.allow" is "hostPID"',
      ],
    ] as const)('refuse %s beyond them, to admins too', async ([, spec, refusal]) => {
      expect(await refusalOf(undefined, { ...within, ...spec }, place)).toContain(refusal)
    })

    test('allow what they name', async () => {
      const spec = {
        ...within,
        preset: 'ha',
        etcd: { replicas: 1 },
        apiServer: { replicas: 2, egress: [] },
        storage: { size: '4Gi' },
        images: {
          registry: 'registry.example.com:5000/a',
          helper: 'docker.io/library/node@sha256:ab',
        },
        sync: { classes: true, nodes: false, pods: { allow: ['hostPath'] } },
      }

      const { code, stderr } = await host.create(undefined, spec, place)

      expect(code, stderr).toBe(0)
      const mirrored = { ...within, version: '1.35.4', images: { registry: 'mirror.test/a' } }
      expect((await host.create(undefined, mirrored, place)).stderr).toBe('')
      const postgres = { host: 'db.test', credentialsSecret: 'owner' }
      const withoutVolumes = { ...within, store: { kine: { postgres } }, storage: { size: '9Gi' } }
      expect((await host.create(undefined, withoutVolumes, place)).stderr).toBe('')
    })

    test.for([
      { maxStorageSize: 'big' },
      { maxReplicas: 0 },
      { presets: ['huge'] },
      { features: ['sync.all'] },
      { versions: ['latest'] },
      { count: 3 },
    ])('are none with %j', async (spec) => {
      const input = JSON.stringify(limitsObject('wrong', spec))

      const { code, stderr } = await host.cli.kubectl(['create', '-f', '-'], { input })

      expect(code).toBe(1)
      expect(stderr).toContain(Object.keys(spec)[0])
    })

    test('limit kubectl scale', async () => {
      const scale = (replicas: number, ...flags: string[]) =>
        host.cli.kubectl([
          'scale',
          'vcp',
          'scaled',
          `-n=${SMALL}`,
          `--replicas=${replicas}`,
          ...flags,
        ])

      const below = await scale(2)
      const above = await scale(3)

      expect(below.stderr).toBe('')
      expect(above.stderr).toContain('"apiServer.replicas" is "3", and "maxReplicas"')
    })

    test('leave what was beyond them before', async () => {
      const where = { ...place, name: 'former' }

      const other = await host.patch('editor', { spec: { idle: '8h' } }, where)
      const more = await host.patch('editor', { spec: { etcd: { replicas: 5 } } }, where)
      const changed = { spec: { etcd: { extraArgs: { 'max-wals': '4' } } } }
      const another = await host.patch('editor', changed, where)

      expect(other.stderr).toBe('')
      expect(more.stderr).toContain('"etcd.replicas" is "5"')
      expect(another.stderr).toContain('"extraArgs" is not among the "features"')
    })
  })
})

function limitsObject(name: string, spec: object): object {
  const metadata = { name, namespace: SMALL }
  return { apiVersion: 'vplane.dev/v1beta1', kind: 'ControlPlaneLimits', metadata, spec }
}

/** `metrics of pods` -> `metrics-of-pods` */
function userOf(what: string): string {
  return what.replaceAll(' ', '-').toLowerCase()
}
