import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canRunLab } from '../../lab/lab.ts'
import { createHostCli, type HostCli } from '../../support/host-cli.ts'
import { hostObjects } from '../../support/host-objects.ts'

describe.skipIf(canRunLab() !== undefined)('render', () => {
  let cli: HostCli

  beforeAll(async () => {
    cli = await createHostCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('prints what kubectl makes a plane of, which create then leaves as it is', async () => {
    const namespace = await cli.makeNamespace()
    const at = ['--namespace', namespace]
    const before = await hostObjects(cli.lab, namespace)
    const manifests = await cli.ok(['render', 'dev', ...at, '--ephemeral', '--show-secrets'])

    const apply = ['--kubeconfig', cli.kubeconfig, 'apply', '--filename', '-']
    const applied = await cli.kubectl(apply, { input: manifests })
    expect(applied.code, applied.stderr).toBe(0)
    await podsMade(namespace)
    const made = await contents(namespace)
    await cli.ok(['create', 'dev', ...at, '--ephemeral'])

    expect(await contents(namespace)).toEqual(made)
    const connect = ['connect', 'dev', ...at, '--', 'kubectl']
    expect((await cli.run([...connect, 'get', 'serviceaccount', 'default'])).code).toBe(0)
    await cli.ok(['delete', 'dev', ...at, '--yes'])
    expect(await hostObjects(cli.lab, namespace)).toEqual(before)
  })

  test('prints the same of a plane that is there as kubectl finds applied', async () => {
    const namespace = cli.newNamespace()
    const at = ['--namespace', namespace]
    await cli.ok(['create', 'dev', ...at, '--no-wait'])

    const manifests = await cli.ok(['render', 'dev', ...at, '--show-secrets'])

    const flags = ['--server-side', '--field-manager=vplane', '--filename', '-']
    const { code, stderr, stdout } = await cli.kubectl(['diff', ...flags], { input: manifests })
    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: '' })
  })

  test('shows no key, and the same text every time, unless it is asked for keys', async () => {
    const words = ['render', `new-${randomBytes(4).toString('hex')}`, '--preset', 'ha']

    const [first, second] = [await cli.ok(words), await cli.ok(words)]

    expect(first).toBe(second)
    expect(first).toContain('kind: "StatefulSet"')
    expect(first).not.toContain('PRIVATE KEY')
  })

  /** Each workload has its one pod: what is compared must not grow meanwhile by what others do. */
  async function podsMade(namespace: string): Promise<void> {
    const what = ['deployments,statefulsets', '--all', '--namespace', namespace]
    await cli.host(['wait', '--for=jsonpath={.status.replicas}=1', ...what, '--timeout=60s'])
  }

  /** What is said in the objects of a namespace, and how often their specs were changed. */
  async function contents(namespace: string): Promise<unknown[]> {
    const kinds = 'deployments,statefulsets,services,secrets,configmaps,networkpolicies,pods'
    const flags = ['--namespace', namespace, '--output', 'json']
    const { items }: { items: Stored[] } = JSON.parse(await cli.host(['get', kinds, ...flags]))
    return items
      .filter(({ metadata }) => metadata.name !== 'vplane-dev-record')
      .map(({ data, kind, metadata }) => {
        const { generation, labels, name, uid } = metadata
        return { kind, name, uid, labels, generation, data }
      })
  }
})

interface Stored {
  kind: string
  metadata: { name: string; uid: string; generation?: number; labels?: object }
  data?: object
}
