import { hintTexts } from '../../../../src/cli/catalog/hint-text.ts'
import { randomBytes } from 'node:crypto'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../../src/control-plane/status/finding.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { preflight } from '../../../../src/drivers/kubernetes/preflight/preflight.ts'
import { openHostCluster } from '../../../../src/kube/host/open-host-cluster.ts'
import { canRunLab, type Lab, startLab } from '../../../lab/lab.ts'
import { manifestInputOf } from '../../../manifests/manifest-input-of.ts'
import { devManifests } from './dev-manifests.ts'

const RESTRICTED = 'pod-security.kubernetes.io/enforce=restricted'

describe.skipIf(canRunLab() !== undefined)('on a real host', () => {
  test.for<UserSpec>([
    {},
    { preset: 'ha', expose: { type: 'ingress', host: 'dev.example.com' } },
    { preset: 'small', expose: { type: 'load-balancer' } },
    { ephemeral: true, expose: { type: 'node-port' } },
  ])('finds nothing against a plane in a restricted namespace, as its admin: %j', async (user) => {
    await using lab = await startLab()
    await using team = await makeTeam(lab)
    await lab.kubectl(['label', 'namespace', team.namespace, RESTRICTED])

    const findings = await team.look(user, await lab.namespaceAdminKubeconfig(team.namespace))

    expect(findings).toEqual([])
  })

  test('finds nothing against a namespace that it may make', async () => {
    await using lab = await startLab()
    await using folder = await mkdtempDisposable(join(tmpdir(), 'preflight-'))
    const namespace = `preflight-${randomBytes(4).toString('hex')}`

    const findings = await look({ folder: folder.path, kubeconfig: lab.kubeconfig, namespace })

    expect(findings).toEqual([])
  })

  test('reports all findings together, and touches nothing', async () => {
    await using lab = await startLab()
    await using team = await makeTeam(lab)
    await team.kubectl('create', 'configmap', 'vplane-dev-etcd')
    await team.kubectl('create', 'service', 'nodeport', 'other', '--tcp=80')
    const port = '--output=jsonpath={.spec.ports[0].nodePort}'
    const nodePort = Number(await team.kubectl('get', 'service', 'other', port))
    await team.apply('LimitRange', { limits: [{ type: 'Container', max: { memory: '100Mi' } }] })
    await team.apply('ResourceQuota', { hard: { pods: '2', persistentvolumeclaims: '0' } })
    await team.kubectl('wait', 'resourcequota/team', '--for=jsonpath={.status.hard.pods}=2')
    const before = await team.contents()

    const findings = await team.look({
      storage: { className: 'missing' },
      pods: { priorityClassName: 'missing' },
      expose: { type: 'node-port', nodePort },
    })

    expect(findings.map(({ subject }) => subject)).toEqual([
      'names',
      'storage',
      'quota "team"',
      'priority class',
      'limits',
      'limits',
      'limits',
      'node port',
    ])
    const hints = findings.flatMap(({ hint = [] }) => hint)
    expect(hints).toContainEqual({ set: 'etcd.resources.limits.memory=100Mi' })
    expect(await team.contents()).toBe(before)
  })

  test('gives the command that grants what is missing', async () => {
    await using lab = await startLab()
    await using team = await makeTeam(lab)
    const jane: string = as('jane', lab.kubeconfig)

    const refused = (await team.look({}, jane)).find(({ subject }) => subject === 'rights')
    expect(refused).toMatchObject({
      level: 'problem',
      message: expect.stringContaining('you may not get, list, create, patch services, '),
    })
    const [, commands = ''] = hintTexts([refused?.hint ?? []].flat())
      .join('')
      .split(/grant (?:it|them): /)
    for (const command of commands.replace('USER', 'jane').split(' && ')) {
      await lab.kubectl(command.split(' ').slice(1))
    }

    // The host goes by rights a moment after they are stored.
    await expect.poll(() => team.look({}, jane), { timeout: 60_000 }).toEqual([])
  })
})

interface Team extends AsyncDisposable {
  namespace: string
  kubectl: (...words: string[]) => Promise<string>
  /** Makes an object called `team`. */
  apply: (kind: string, spec: object) => Promise<void>
  /** What the namespace holds. */
  contents: () => Promise<string>
  look: (user?: UserSpec, kubeconfig?: string) => Promise<Finding[]>
}

/** A namespace of its own. */
async function makeTeam(lab: Lab): Promise<Team> {
  await using started = new AsyncDisposableStack()
  const folder = started.use(await mkdtempDisposable(join(tmpdir(), 'preflight-')))
  const namespace = `preflight-${randomBytes(4).toString('hex')}`
  const kubectl = (...words: string[]) => lab.kubectl(['--namespace', namespace, ...words])
  await lab.kubectl(['create', 'namespace', namespace])
  started.defer(async () => {
    await lab.kubectl(['delete', 'namespace', namespace, '--wait=false'])
  })
  // What the host makes in each namespace is there before anybody looks what is.
  for (const made of ['serviceaccount/default', 'configmap/kube-root-ca.crt']) {
    await kubectl('wait', made, '--for=create', '--timeout=60s')
  }
  const stack = started.move()
  return {
    namespace,
    kubectl,
    apply: async (kind, spec) => {
      const object = { apiVersion: 'v1', kind, metadata: { name: 'team', namespace }, spec }
      await lab.kubectl(['apply', '--filename', '-'], JSON.stringify(object))
    },
    contents: () =>
      kubectl('get', 'all,secrets,configmaps,leases,pvc,ingresses,events', '--output', 'name'),
    look: (user = {}, kubeconfig = lab.kubeconfig) =>
      look({ folder: folder.path, kubeconfig, namespace }, user),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

async function look(
  { folder, kubeconfig, namespace }: { folder: string; kubeconfig: string; namespace: string },
  user: UserSpec = {},
): Promise<Finding[]> {
  const file = join(folder, 'kubeconfig')
  await writeFile(file, kubeconfig)
  await using host = await openHostCluster({ files: [file], environment: {} })
  return await preflight({
    api: host.api,
    name: 'dev',
    namespace,
    spec: manifestInputOf(user).spec,
    manifests: devManifests(user, namespace),
    createNamespace: true,
    shareNamespace: false,
    signal: new AbortController().signal,
  })
}

/** An administrator's kubeconfig that impersonates another user. */
function as(user: string, kubeconfig: string): string {
  return kubeconfig.replace(/^(\s+)user:\s*$/m, `$1user:\n$1  as: ${user}`)
}
