import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeInLab } from '../../lab/describe-lab.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'

// What gives Services their addresses elsewhere must not meet another one there.

describeInLab('a plane behind a load balancer', () => {
  let cli: HostCli
  let place: string[]

  beforeAll(async () => {
    cli = await createHostCli()
    place = ['--namespace', cli.newNamespace()]
    await cli.ok(['create', 'dev', ...place, '--ephemeral', '--expose', 'load-balancer'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('is reached by a tunnel as long as it has no address, and then without one', async () => {
    const before = await serverOf()
    const address = await giveAddress()
    await cli.ok(['list'])
    // A kubelet that has a reason to look at a pod mounts what is new at once.
    const pods = ['pods', '--selector', 'vplane.dev/component=kube-apiserver']
    const touch = () =>
      cli.host(['annotate', ...pods, ...place, `seen=${Date.now()}`, '--overwrite'])
    const isThere = async () => {
      await touch()
      return (await serverOf()) === `https://${address}`
    }

    await waitFor(isThere, {
      what: 'the certificate with the address',
      timeoutMs: 120_000,
      intervalMs: 2000,
    })
    await cli.ok(['connect', 'dev', ...place])
    const { code, stderr, stdout } = await cli.kubectl(['get', 'namespace', 'default'])
    await cli.ok(['disconnect', 'dev', ...place])

    expect(before).toMatch(/^https:\/\/127\.0\.0\.1:/)
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('default')
    expect(cli.processes()).toEqual([])
  })

  async function serverOf(): Promise<string> {
    const text = await cli.ok(['kubeconfig', 'dev', ...place])
    return /server: "?([^"\s]+)/.exec(text)?.[1] ?? ''
  }

  /** Does what a load balancer that listens on the nodes does, and tells its address. */
  async function giveAddress(): Promise<string> {
    const path = '{.items[0].status.addresses[?(@.type=="InternalIP")].address}'
    const ip = await cli.host(['get', 'nodes', '--output', `jsonpath=${path}`])
    const status = { status: { loadBalancer: { ingress: [{ ip }] } } }
    const patch = ['--subresource', 'status', '--type', 'merge', '--patch', JSON.stringify(status)]
    await cli.host(['patch', 'service', 'vplane-dev-api', ...place, ...patch])
    return ip
  }
})
