import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HostEvent, timesReported } from '../../../src/drivers/kubernetes/host/host-pod.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { hostObjects } from '../../support/host/host-objects.ts'

/** The host has reported what a user must do: not 6, which means that the time is up. */
const FAILED = 7

describeOnHost('a plane that a host cluster cannot run', () => {
  let cli: HostCli
  const create = (namespace: string, ...args: string[]) =>
    cli.run(['create', 'dev', '--namespace', namespace, '--timeout', '10m', ...args])

  beforeAll(async () => {
    cli = await createHostCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for([
    [
      'more than the quota allows',
      [],
      { hard: { 'requests.memory': '100Mi' } },
      /quota "little": requests.memory: \d+Mi needed/,
    ],
    ['a StorageClass that is not there', ['--storage-class', 'none-such'], undefined, /none-such/],
  ] as const)('is not begun when it needs %s', async ([_what, args, quota, reason]) => {
    const namespace = await cli.makeNamespace()
    if (quota !== undefined) {
      await limit(namespace, quota)
    }
    const before = await hostObjects(cli.lab, namespace)

    const { code, stderr } = await create(namespace, ...args)

    expect(code, stderr).toBe(FAILED)
    expect(stderr).toContain('nothing was changed')
    expect(stderr).toMatch(reason)
    expect(stderr).toContain('hint: ')
    expect(await hostObjects(cli.lab, namespace)).toEqual(before)
  })

  test.for([
    ['a StorageClass that is not there', ['--storage-class', 'none-such'], 'etcd', /none-such/],
    [
      'an image that is not there',
      ['--ephemeral', '--image-registry', 'registry.invalid', '--set', 'images.pullPolicy=Never'],
      'image',
      /registry\.invalid\//,
    ],
    [
      'a registry that does not answer',
      ['--ephemeral', '--image-registry', '127.0.0.1:1/mirror'],
      'image',
      /127\.0\.0\.1:1\/mirror\/.*refused/,
    ],
    [
      'a node that is not there',
      ['--ephemeral', '--set', 'pods.nodeSelector.disk=none-such'],
      'cannot run',
      /node/,
    ],
    [
      'a flag that kube-apiserver does not know',
      ['--ephemeral', '--set', 'apiServer.extraArgs.nonsense=1'],
      'kube-apiserver',
      /unknown flag: --nonsense/,
    ],
  ] as const)(
    'is given up with the reason when it needs %s',
    async ([_what, args, subject, reason]) => {
      const namespace = cli.newNamespace()

      const { code, stderr } = await create(namespace, '--skip-preflight', ...args)

      expect(code, stderr).toBe(FAILED)
      expect(stderr).toContain(subject)
      expect(stderr).toMatch(reason)
      expect(stderr).toContain('hint: ')
    },
  )

  test('reports that a quota stops its pods, and continues once there is room', async () => {
    const namespace = await cli.makeNamespace()
    await limit(namespace, { hard: { 'requests.memory': '100Mi', pods: '1' } })

    const { code, stderr } = await create(namespace, '--ephemeral', '--skip-preflight')
    expect(code, stderr).toBe(FAILED)
    expect(stderr).toMatch(/quota.*little/s)
    // By then the host waits for ten seconds before it tries again.
    await waitFor(async () => (await timesRefused(namespace)) > 11, {
      what: 'the host to lose patience',
      timeoutMs: 120_000,
      intervalMs: 500,
    })
    await cli.host(['delete', 'resourcequota', 'little', '--namespace', namespace])

    const again = await create(namespace, '--ephemeral')
    expect(again.code, again.stderr).toBe(0)
  })

  test('returns at once when nobody waits for it, and create says later why it does not run', async () => {
    const namespace = cli.newNamespace()
    const args = ['--ephemeral', '--set', 'etcd.extraArgs.log-level=shouting']

    const unwatched = await create(namespace, ...args, '--no-wait')
    expect(unwatched.code, unwatched.stderr).toBe(0)
    const { code, stderr } = await create(namespace, ...args)

    expect(code, stderr).toBe(FAILED)
    expect(stderr).toContain('shouting')
    const describe = ['describe', 'dev', '--namespace', namespace]
    const described = async () => (await cli.run(describe)).stdout
    // The host begins it again and again: while it runs nothing is wrong with it.
    await expect.poll(described, { timeout: 60_000, interval: 1000 }).toContain('shouting')
    await cli.ok(['delete', 'dev', '--namespace', namespace, '--yes'])
    expect(await hostObjects(cli.lab, namespace)).toEqual(new Map())
  })

  test('takes no field over that someone else manages, and names both', async () => {
    const namespace = await cli.makeNamespace()
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'vplane-dev-api',
        namespace,
        labels: { 'app.kubernetes.io/managed-by': 'vplane', 'vplane.dev/name': 'dev' },
      },
      spec: {
        selector: { 'vplane.dev/name': 'another' },
        ports: [{ name: 'https', port: 443, targetPort: 6443 }],
      },
    }
    const flags = ['--server-side', '--field-manager', 'gitops', '--filename', '-']
    await cli.host(['apply', ...flags], service)

    const { code, stderr } = await create(namespace, '--ephemeral')

    expect(code, stderr).toBe(4)
    expect(stderr).toContain('cannot change Service "vplane-dev-api": "gitops" manages')
    expect(stderr).toContain('.spec.selector')
  })

  test('is not created where someone has objects of its names, and delete does not touch them', async () => {
    const namespace = await cli.makeNamespace()
    await cli.host(['--namespace', namespace, 'create', 'configmap', 'vplane-dev-etcd'])
    const before = await hostObjects(cli.lab, namespace)

    const { code, stderr } = await create(namespace, '--ephemeral')
    const deletion = await cli.run(['delete', 'dev', '--namespace', namespace, '--yes'])

    expect(code, stderr).toBe(FAILED)
    expect(stderr).toContain('ConfigMap "vplane-dev-etcd"')
    expect(deletion.code).toBe(3)
    expect(await hostObjects(cli.lab, namespace)).toEqual(before)
  })

  test('names what blocks its deletion, and is gone when that is gone', async () => {
    const namespace = await cli.makeNamespace()
    await cli.ok(['create', 'dev', '--namespace', namespace, '--ephemeral', '--no-wait'])
    const secret = ['secret', 'vplane-dev-ca', '--namespace', namespace, '--type=json']
    const add = '[{"op":"add","path":"/metadata/finalizers","value":["example.com/hold"]}]'
    const remove = '[{"op":"remove","path":"/metadata/finalizers"}]'
    await cli.host(['patch', ...secret, `--patch=${add}`])

    const blocked = await cli.run(['delete', 'dev', '--namespace', namespace, '--yes'])
    await cli.host(['patch', ...secret, `--patch=${remove}`])
    await waitFor(
      async () => !(await hostObjects(cli.lab, namespace)).has('Secret vplane-dev-ca'),
      { what: 'the end of the Secret', timeoutMs: 60_000 },
    )
    await cli.ok(['delete', 'dev', '--namespace', namespace, '--yes', '--ignore-not-found'])

    expect(blocked.code, blocked.stderr).toBe(FAILED)
    expect(blocked.stderr).toContain('example.com/hold')
    const left = [...(await hostObjects(cli.lab, namespace)).keys()]
    expect(left.filter((object) => object.includes('vplane-dev'))).toEqual([])
  })

  /** How often the host has tried in vain to make a pod of kube-apiserver. */
  async function timesRefused(namespace: string): Promise<number> {
    const reason = '--field-selector=reason=FailedCreate,involvedObject.kind=ReplicaSet'
    const notes = ['get', 'events', '--namespace', namespace, reason, '--output=json']
    const { items }: { items: HostEvent[] } = JSON.parse(await cli.host(notes))
    return timesReported(items)
  }

  async function limit(namespace: string, spec: object): Promise<void> {
    const metadata = { name: 'little', namespace }
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec }
    await cli.host(['create', '--filename', '-'], quota)
    const path = '--for=jsonpath={.status.hard}'
    await cli.host(['wait', 'resourcequota/little', '--namespace', namespace, path])
  }
})
