import { afterAll, beforeAll, expect, test } from 'vitest'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { isReadyPod } from '../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { listMembers } from '../../../src/etcd/members/members.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeInOwnLab } from '../../lab/describe-lab.ts'
import { type Lab, startLab } from '../../lab/lab.ts'
import { busyMachine } from '../../support/machine/busy-machine.ts'
import { type ConfigMapWriter, lostOf, startWriter } from '../../support/data/config-map-writer.ts'
import { createHostCli, type HostCli } from '../../support/host/host-cli.ts'
import { openHostEtcd } from '../../support/host/damage/host-etcd.ts'
import { fieldAt } from '../../../src/shared/json-fields.ts'

/** The host looks for a node for 25 s before it says anything, and every 20 s for pods that nobody can end. */
const PATIENT = { timeout: 240_000, interval: 1000 }

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute'

// In their order: one node goes, and three planes have something on it.
describeInOwnLab('a host node that disappears', { shuffle: false }, () => {
  let turn: AsyncDisposable
  let lab: Lab
  let cli: HostCli
  let writer: ConfigMapWriter
  let node: string
  let shared: string[]
  let alone: string[]
  let several: string[]
  let network: string[]
  let members: object

  beforeAll(async () => {
    lab = await startLab({ isOwn: true, nodes: 3 })
    // Three nodes take what others would be answered by in time.
    turn = await busyMachine()
    cli = await createHostCli({ lab })
    node = lab.nodes[2] ?? ''
    const place = ['--namespace', cli.newNamespace()]
    shared = ['shared', ...place]
    alone = ['alone', ...place]
    several = ['several', ...place]
    network = ['network', ...place]
    await moveAddons()
    const ofThree = ['--set', 'etcd.replicas=3']
    await cli.ok(['create', ...several, ...ofThree])
    await cli.ok(['create', ...network, ...ofThree, '--storage-class', 'shared-path'])
    // Those of which there is one of each have all of it on that node.
    const others = lab.nodes.filter((name) => name !== node)
    await cli.host(['cordon', ...others])
    await Promise.all([
      cli.ok(['create', ...shared, '--storage-class', 'shared-path', '--connect']),
      cli.ok(['create', ...alone]),
    ])
    await cli.host(['uncordon', ...others])
    await Promise.all([alone, several, network].map((plane) => kubectlIn(plane, 'create')))
    await cli.ok(['snapshot', 'create', ...alone])
    for (const plane of ['several', 'network']) {
      await waitFor(async () => (await membersOf(plane)).length === 3, {
        what: `all members of etcd of "${plane}"`,
        timeoutMs: PATIENT.timeout,
      })
    }
    members = await identities()
    writer = await startWriter(cli)
  })
  afterAll(async () => {
    await cli[Symbol.asyncDispose]()
    await lab[Symbol.asyncDispose]()
    await turn[Symbol.asyncDispose]()
  })

  test('is named, with what to do about it, and no member of etcd is touched while it may still run', async () => {
    const said = `its node "${node}" does not answer`
    const onNode = (await membersOf('several')).filter((name) => name === node)

    await lab.endNode(node)
    await expect
      .poll(() => detailsOf(shared), PATIENT)
      .toMatchObject({ status: 'NotReady', reason: `etcd: ${said}` })
    const list = await cli.ok(['list', '--namespace', shared[2] ?? ''])
    const description = await cli.ok(['describe', ...shared])
    const repair = await cli.run(['repair', ...shared, '--yes'])
    const ofSeveral = await cli.run(['repair', ...several, '--yes'])

    expect(onNode).toHaveLength(1)
    expect(list).toMatch(/^shared .*NotReady/m)
    expect(description).toContain(`taint nodes ${node} ${OUT_OF_SERVICE}`)
    expect([repair.code, ofSeveral.code]).toEqual([7, 7])
    expect(repair.stderr).toContain(`vplane-shared-etcd-0: ${said}`)
    expect(repair.stderr).toContain(`taint nodes ${node} ${OUT_OF_SERVICE}`)
    expect(ofSeveral.stderr).toMatch(new RegExp(`vplane-several-etcd-\\d: ${said}`))
    // Two members of three are there, and the API is where it can be.
    await expect.poll(() => hasBefore(several), PATIENT).toBe(true)
  })

  test('with a volume of a network: the plane comes back on another node, and no write is lost', async () => {
    const { length } = await writer.soFar()

    await cli.host(['taint', 'nodes', node, OUT_OF_SERVICE])
    await expect
      .poll(async () => (await writer.soFar()).length, PATIENT)
      .toBeGreaterThan(length + 5)

    const { taken } = await writer.stop()
    expect(await lostOf(cli, shared, taken)).toEqual([])
    await expect.poll(() => detailsOf(shared), PATIENT).toMatchObject({ status: 'Ready' })
    expect(await membersOf('shared')).not.toContain(node)
  })

  test('with volumes of a network: a member of several comes back on another node as who it was', async () => {
    await expect.poll(() => membersOf('network'), PATIENT).toHaveLength(3)

    expect(await membersOf('network')).not.toContain(node)
    expect(await identities()).toEqual(members)
    expect(await hasBefore(network)).toBe(true)
    await expect
      .poll(async () => (await cli.run(['repair', ...network])).stdout, PATIENT)
      .toBe('Nothing is wrong with "network".\n')
  })

  test('with local volumes: a member of several gets a new one, with the data of the others', async () => {
    const said = `its volume is on node "${node}", which is out of service`
    const dryRun = ['repair', ...several, '--dry-run']
    await expect.poll(async () => (await cli.run(dryRun)).stdout, PATIENT).toContain(said)

    await cli.ok(['repair', ...several, '--yes'])

    await expect.poll(() => membersOf('several'), PATIENT).toHaveLength(3)
    expect(await membersOf('several')).not.toContain(node)
    expect(await hasBefore(several)).toBe(true)
    await expect
      .poll(async () => (await cli.run(['repair', ...several])).stdout, PATIENT)
      .toBe('Nothing is wrong with "several".\n')
  })

  test('with a local volume alone: only a snapshot brings the data back, on a new volume', async () => {
    const declared = await cli.run(['repair', ...alone, '--yes'])
    await cli.host(['delete', 'node', node])
    const reason = `its volume is on node "${node}", which is gone`
    await expect
      .poll(() => detailsOf(alone), PATIENT)
      .toMatchObject({ status: 'NotReady', reason: `etcd: ${reason}` })
    const gone = await cli.run(['repair', ...alone, '--yes'])
    const [, snapshot = ''] = / --from (\S+)/.exec(gone.stderr) ?? []
    await cli.ok(['restore', ...alone, '--force', '--yes', '--from', snapshot])

    expect([declared.code, gone.code]).toEqual([7, 7])
    expect(declared.stderr).toContain('which is out of service, and there is no other copy')
    expect(declared.stderr).toContain(`if the node comes back with its disk: kubectl`)
    expect(gone.stderr).toContain(`vplane-alone-etcd-0 of "alone": ${reason}`)
    expect(await hasBefore(alone)).toBe(true)
    await expect.poll(() => detailsOf(alone), PATIENT).toMatchObject({ status: 'Ready' })
  })

  /** What the host itself needs is elsewhere: this is about planes. */
  async function moveAddons(): Promise<void> {
    await cli.host(['cordon', node])
    const there = ['--all-namespaces', `--field-selector=spec.nodeName=${node}`]
    await cli.host(['delete', 'pods', ...there])
    const flags = ['--timeout=120s', '--namespace']
    await cli.host(['rollout', 'status', 'deployment/coredns', ...flags, 'kube-system'])
    await cli.host(['uncordon', node])
  }

  function detailsOf(plane: readonly string[]): Promise<unknown> {
    return cli.json(['describe', ...plane, '--json'])
  }

  /** The nodes of the members of etcd that are ready. */
  async function membersOf(plane: string): Promise<string[]> {
    const selector = `vplane.dev/component=etcd,vplane.dev/name=${plane}`
    const flags = ['--all-namespaces', '--selector', selector, '--output', 'json']
    const { items }: { items: KubeObject[] } = JSON.parse(await cli.host(['get', 'pods', ...flags]))
    return items.filter(isReadyPod).map(({ spec }) => String(fieldAt(spec, 'nodeName')))
  }

  /** The ids by which etcd of "network" knows its members: one that joined again would have another. */
  async function identities(): Promise<object> {
    const place = { name: 'network', namespace: network[2] ?? '' }
    await using etcd = await openHostEtcd(lab, place, 3)
    const { signal } = new AbortController()
    const found = await listMembers(await etcd.cluster.speaker(signal), signal)
    return Object.fromEntries(found.map(({ id, name }) => [name, id]))
  }

  async function hasBefore(plane: readonly string[]): Promise<boolean> {
    return (await kubectlIn(plane, 'get')) === 0
  }

  async function kubectlIn(plane: readonly string[], verb: 'create' | 'get') {
    const command = ['kubectl', verb, 'configmap', 'before', '--request-timeout=10s']
    return (await cli.run(['connect', ...plane, '--', ...command])).code
  }
})
