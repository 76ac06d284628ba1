import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { AGNHOST_IMAGE } from '../../lab/images/lab-images.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'

interface Described {
  status: string
  components: Array<{ name: string; state: string }>
}

// In their order: the plane that the first one makes is used by others.
describeOnHost('the life of a plane that runs pods', { shuffle: false }, () => {
  const name = `own-${randomBytes(4).toString('hex')}`
  const namespace = `vplane-${name}`
  let cli: HostCli

  beforeAll(async () => {
    cli = await createHostCli()
  })
  afterAll(async () => {
    await cli.host(['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false'])
    await cli[Symbol.asyncDispose]()
  })

  /** What of it is in no namespace. */
  async function clusterRoles(): Promise<string[]> {
    const selector = ['--selector', `vplane.dev/namespace=${namespace}`]
    const kinds = 'clusterroles,clusterrolebindings'
    const found = await cli.host(['get', kinds, ...selector, '--output', 'name'])
    return found.split('\n').filter((one) => one !== '')
  }

  test('it has a host namespace to itself, and is found there by its name', async () => {
    await cli.ok(['create', name, '--sync-nodes', '--ephemeral'])

    const services = ['kubectl', 'get', 'service', '-o', 'name']
    const { stdout } = await cli.run(['connect', name, '--', ...services])
    const { namespace: place } = await cli.json(['describe', name, '--json'])

    expect(await clusterRoles()).toHaveLength(2)
    expect(place).toBe(namespace)
    expect(stdout).toBe('service/kubernetes\n')
  })

  test('no other plane comes there, and it goes to no others, unless they may share', async () => {
    const beside = await cli.run(['create', 'other', '--namespace', namespace])
    const among = await cli.run(['create', 'other', '--sync', '--namespace', 'kube-system'])

    expect(beside.code, beside.stderr).toBe(7)
    expect(beside.stderr).toContain(`the plane "${name}" in "${namespace}" runs pods`)
    expect(among.code, among.stderr).toBe(7)
    expect(among.stderr).toContain('"kube-system" has objects that are not of "other"')
    for (const { stderr } of [beside, among]) {
      expect(stderr).toMatch(/hint: .*--share-namespace/)
    }
  })

  test('its syncer is a component like others', async () => {
    const described = async (): Promise<Described> => await cli.json(['describe', name, '--json'])

    await expect.poll(described, { timeout: 120_000 }).toMatchObject({ status: 'Ready' })
    const { components } = await described()
    expect(components.at(-1)).toMatchObject({ name: 'syncer', state: 'running' })
    expect(await cli.ok(['logs', name, 'syncer'])).toContain(`syncs plane "${name}"`)
  })

  test('a pause ends its pods, and a resume brings back what makes them', async () => {
    const kubectl = (...args: string[]) => cli.ok(['connect', name, '--', 'kubectl', ...args])
    const image = `--image=${AGNHOST_IMAGE}`
    const rollout = ['rollout', 'status', 'deployment/web', '--timeout=120s']
    await kubectl('create', 'deployment', 'web', image, '--', '/agnhost', 'pause')
    await kubectl(...rollout)

    await cli.ok(['pause', name])
    const pods = await cli.host(['get', 'pods', '-n', namespace, '--output', 'name'])
    const { components, status }: Described = await cli.json(['describe', name, '--json'])
    await cli.ok(['resume', name])
    await kubectl(...rollout)

    expect(pods).toBe(`pod/vplane-${name}-etcd-0`)
    expect(status).toBe('Paused')
    expect(components.at(-1)).toMatchObject({ name: 'syncer', state: 'stopped' })
  })

  test('its namespace goes with it', async () => {
    await cli.ok(['delete', name, '--yes'])

    const namespaces = await cli.host(['get', 'namespaces', '--output', 'name'])
    expect(namespaces).not.toContain(namespace)
    expect(await clusterRoles()).toEqual([])
  })

  test('a user with rights in its namespace only creates it', async () => {
    await using theirs = await createHostCli({ lab: cli.lab })
    const kubeconfig = await cli.lab.namespaceAdminKubeconfig(namespace)
    // Their context leads to another namespace, in which they may do nothing.
    writeFileSync(theirs.kubeconfig, kubeconfig.replace(/namespace: .*/, 'namespace: "default"'))

    const refused = await theirs.run(['create', name, '--sync-nodes', '--ephemeral'])
    expect(refused.code, refused.stderr).toBe(7)
    expect(refused.stderr).toContain('get, list, watch nodes in all of the host cluster')
    expect(refused.stderr).toContain('hint: leave out --sync-nodes and --sync-classes')
    await theirs.ok(['create', name, '--sync', '--ephemeral', '--connect'])

    const { code, stderr } = await theirs.kubectl(['get', 'service', 'kubernetes'])
    const listed = (await theirs.json(['list', '--json'])).items
    expect(code, stderr).toBe(0)
    expect(listed).toMatchObject([{ name, namespace, connected: true }])
    await theirs.ok(['delete', name, '--yes'])
  })
})
