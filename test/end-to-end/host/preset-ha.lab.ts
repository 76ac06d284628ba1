import { describe, expect, test } from 'vitest'
import { canRunLab } from '../../lab/lab.ts'
import { createHostCli } from '../../support/host-cli.ts'
import { hostObjects } from '../../support/host-objects.ts'

describe.skipIf(canRunLab() !== undefined)('the preset ha', () => {
  test('has three members of etcd, two of the others, and serves without one of each', async () => {
    await using cli = await createHostCli()
    const namespace = cli.newNamespace()
    const at = ['--namespace', namespace]
    const connect = ['connect', 'dev', ...at, '--', 'kubectl']
    await cli.ok(['create', 'dev', ...at, '--preset', 'ha'])
    const wait = ['wait', 'pods', '--all', ...at, '--for=condition=Ready', '--timeout=120s']
    await cli.host(wait)

    const described: { components: Array<{ name: string; replicas: object }> } = JSON.parse(
      await cli.ok(['describe', 'dev', ...at, '--json']),
    )
    await cli.ok([...connect, 'create', 'configmap', 'kept'])
    const lost = ['etcd', 'kube-apiserver', 'kube-controller-manager'].map((component) =>
      firstPod(component),
    )
    await cli.host(['delete', ...at, '--wait=false', ...(await Promise.all(lost))])
    const { code, stderr } = await cli.run([...connect, 'get', 'configmap', 'kept'])

    expect(described.components).toMatchObject([
      { name: 'etcd', replicas: { wanted: 3, ready: 3 } },
      { name: 'kube-apiserver', replicas: { wanted: 2, ready: 2 } },
      { name: 'kube-controller-manager', replicas: { wanted: 2, ready: 2 } },
    ])
    expect(code, stderr).toBe(0)
    await cli.ok(['delete', 'dev', ...at, '--yes'])
    expect(await hostObjects(cli.lab, namespace)).toEqual(new Map())

    function firstPod(component: string): Promise<string> {
      const selector = ['--selector', `vplane.dev/component=${component}`]
      const output = 'jsonpath=pod/{.items[0].metadata.name}'
      return cli.host(['get', 'pods', ...at, ...selector, '--output', output])
    }
  })
})
