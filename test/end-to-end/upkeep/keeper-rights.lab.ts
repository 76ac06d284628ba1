import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKubeClient } from '../../../src/kube/client/client.ts'
import { parseYaml, parseYamlDocuments } from '../../../src/shared/yaml/yaml.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { fieldAt } from '../../../src/shared/json-fields.ts'

/** The objects that say what a keeper may do, and whose they are. */
const KINDS: unknown[] = ['ServiceAccount', 'Role', 'RoleBinding']

/** What may be done to something: to all of a kind, or to the one of a name. */
type Right = readonly [what: string, ...verbs: string[]]

const of = (kind: string, names: readonly string[], ...verbs: string[]): Right[] =>
  names.map((name) => [`${kind} vplane-dev-${name}`, ...verbs])
const pods = (...verbs: string[]): Right => ['pods', ...verbs]

const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager']
const MEMBERS = ['etcd-0', 'etcd-1', 'etcd-2']
const WATCHES: Right[] = [
  ['configmaps', 'list', 'watch'],
  ['deployments.apps', 'list', 'watch'],
  ['deployments.apps vplane-keeper', 'get', 'patch'],
  ['events', 'create'],
  ...of('configmaps', ['keeper-status'], 'get', 'patch'),
  ...of('secrets', ['keeper'], 'get'),
  ...of('leases.coordination.k8s.io', ['lock'], 'get'),
]
const HOLDS: Right[] = [
  ['leases.coordination.k8s.io', 'create'],
  ...of('leases.coordination.k8s.io', ['lock'], 'update', 'delete'),
]
const SEES_LEASE = (...verbs: string[]) => of('leases.coordination.k8s.io', ['lock'], ...verbs)
const RECORD = of('secrets', ['record'], 'get', 'update')
const PAUSES = of('configmaps', ['keeper-settings'], 'patch')
const stops = (components: readonly string[]) =>
  ['deployments.apps', 'statefulsets.apps'].flatMap((kind) => of(kind, components, 'patch'))

const PLANES: Array<readonly [fields: string, rights: readonly Right[]]> = [
  ['backup.schedule=daily backup.store=s3://backups/dev', []],
  [
    'idle=8h',
    [
      ...HOLDS,
      ...SEES_LEASE('list', 'watch'),
      ...RECORD,
      ...PAUSES,
      ...stops(COMPONENTS),
      pods('list', 'watch'),
    ],
  ],
  [
    'renew=true',
    [...HOLDS, ...RECORD, ...of('secrets', ['ca', ...COMPONENTS, 'keeper'], 'get', 'patch')],
  ],
  [
    'credentials.flux.user=flux credentials.argo.user=argo credentials.argo.namespace=argocd',
    [
      ['secrets', 'create'],
      ['secrets flux', 'get', 'patch'],
    ],
  ],
  ['credentials.argo.user=argo credentials.argo.namespace=argocd', []],
  [
    'credentials.flux.user=flux credentials.flux.address=exposed expose.type=node-port',
    [
      ['secrets', 'create'],
      ['secrets flux', 'get', 'patch'],
      ['services vplane-dev-api', 'get'],
      pods('list'),
    ],
  ],
  [
    'ephemeral=true etcd.replicas=3',
    [
      ...HOLDS,
      ...SEES_LEASE('list', 'watch'),
      ...of('pods', MEMBERS, 'get', 'delete'),
      ...of('pods/log', MEMBERS, 'get'),
      ...of('configmaps', ['etcd'], 'get', 'patch'),
    ],
  ],
  [
    'sync.replicas=1 idle=8h backup.schedule=daily backup.store=s3://backups/dev',
    [
      ...HOLDS,
      ...SEES_LEASE('list', 'watch'),
      ...RECORD,
      ...PAUSES,
      ...stops([...COMPONENTS, 'syncer']),
      pods('list', 'watch', 'delete'),
      ['persistentvolumeclaims', 'list'],
    ],
  ],
]

describeOnHost('the keeper of a namespace', () => {
  let cli: HostCli

  beforeAll(async () => {
    cli = await createHostCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for(PLANES)(
    'has for a plane with %s the rights for that, there alone',
    async ([fields, rights]) => {
      const namespace = await cli.makeNamespace()
      const said = fields.split(' ').flatMap((field) => ['--set', field])
      const render = ['render', 'dev', '--namespace', namespace, ...said]
      const documents = parseYamlDocuments(await cli.ok(render), 'the manifests')
      const items = documents.filter(
        (object) =>
          KINDS.includes(fieldAt(object, 'kind')) &&
          /^vplane-(dev-)?keeper/.test(String(fieldAt(object, 'metadata', 'name'))),
      )
      await cli.host(['apply', '--filename', '-'], { apiVersion: 'v1', kind: 'List', items })
      const token = async (account: string) =>
        (await cli.host(['create', 'token', account, '--namespace', namespace])).trim()

      const keeper = await token('vplane-keeper')
      const everybody = await rightsOf(await token('default'), 'kube-system')
      const own = async () =>
        (await rightsOf(keeper, namespace)).filter((right) => !everybody.includes(right))

      // The host goes by rights a moment after they are stored.
      await expect.poll(own, { timeout: 60_000 }).toEqual(linesOf([...WATCHES, ...rights]))
      expect(await rightsOf(keeper, 'kube-system')).toEqual(everybody)
    },
  )

  /** What the host answers the owner of a token when asked for its rights in a namespace. */
  async function rightsOf(token: string, namespace: string): Promise<string[]> {
    const config = parseYaml(cli.lab.kubeconfig, 'the kubeconfig')
    const [cluster] = [Object(config)['clusters']]
      .flat()
      .map((one: unknown) => fieldAt(one, 'cluster'))
    const authority = String(fieldAt(cluster, 'certificate-authority-data'))
    await using host = createKubeClient({
      server: String(fieldAt(cluster, 'server')),
      certificateAuthority: Buffer.from(authority, 'base64').toString(),
      token,
    })
    const review = await host.create('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      metadata: {},
      spec: { namespace },
    })
    const { incomplete, resourceRules }: { incomplete: boolean; resourceRules: Rule[] } = Object(
      review['status'],
    )
    expect(incomplete).toBe(false)
    return linesOf(resourceRules.flatMap(rightsIn))
  }
})

interface Rule {
  apiGroups: string[]
  resources: string[]
  resourceNames?: string[]
  verbs: string[]
}

function rightsIn({ apiGroups, resourceNames, resources, verbs }: Rule): Right[] {
  const kinds = apiGroups.flatMap((group) =>
    resources.map((resource) => (group === '' ? resource : `${resource}.${group}`)),
  )
  const names = resourceNames?.map((name) => ` ${name}`) ?? ['']
  return kinds.flatMap((kind) => names.map((name): Right => [`${kind}${name}`, ...verbs]))
}

/** One for each verb, each once. */
function linesOf(rights: readonly Right[]): string[] {
  const lines = rights.flatMap(([what, ...verbs]) => verbs.map((verb) => `${what}: ${verb}`))
  return [...new Set(lines)].toSorted()
}
