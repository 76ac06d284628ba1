import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEFAULT_KUBERNETES_VERSION } from '../../../src/control-plane/spec/kubernetes-version.ts'
import { describeInLab } from '../../lab/describe-lab.ts'
import { startLab } from '../../lab/lab.ts'
import type { SimulatedNodes } from '../../lab/simulated/add-simulated-nodes.ts'
import { MAY_BE_SIMULATED, ON_SIMULATED_NODES } from '../../lab/simulated/simulated-node.ts'
import { createSyncedPlane, type SyncedPlane } from '../../support/host/planes/synced-plane.ts'
import { until } from '../../support/until.ts'
import {
  claim,
  deployment,
  pod,
  serverContainer,
  shellContainer,
} from '../../support/host/planes/workloads.ts'

const SCHEDULED = ['--sync-nodes', '--set', 'sync.scheduler=virtual']
const RACK = 'plane.example.com/rack'

// In their order: the racks of the first test are those of others.
describeInLab('a plane with a scheduler of its own', { shuffle: false }, () => {
  let plane: SyncedPlane
  let simulated: SimulatedNodes
  const ok = (...args: string[]) => plane.ok(...args)
  const get = (what: string, path: string) => ok('get', what, '--output', `jsonpath={${path}}`)

  beforeAll(async () => {
    await using lab = await startLab()
    await lab.loadSchedulerImage(DEFAULT_KUBERNETES_VERSION)
    plane = await createSyncedPlane([
      ...SCHEDULED,
      ...MAY_BE_SIMULATED,
      '--set',
      'scheduler.replicas=2',
    ])
    simulated = await plane.cli.lab.addSimulatedNodes({ count: 2 })
  })
  afterAll(async () => {
    await simulated[Symbol.asyncDispose]()
    await plane[Symbol.asyncDispose]()
  })

  // Seed 004: "and - optionally - a scheduler".
  test('shows all nodes of the host, and spreads pods by a rule that only the plane knows', async () => {
    await until('the nodes', async () => {
      const names = await get('nodes', '.items[*].metadata.name')
      return [...plane.cli.lab.nodes, ...simulated.names].every((name) => names.includes(name))
    })
    const [first = '', second = ''] = simulated.names
    await ok('label', 'node', first, `${RACK}=one`)
    await ok('label', 'node', second, `${RACK}=two`)
    const web = deployment('web', { replicas: 4, containers: [serverContainer()] })
    const labelSelector = { matchLabels: { app: 'web' } }
    Object.assign(web.spec.template.spec, ON_SIMULATED_NODES, {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: RACK, whenUnsatisfiable: 'DoNotSchedule', labelSelector },
      ],
    })
    await plane.apply(web)

    await ok('rollout', 'status', 'deployment/web', '--timeout=120s')

    const nodes = (await get('pods', '.items[*].spec.nodeName')).split(' ').toSorted()
    expect(nodes).toEqual([first, first, second, second])
    const path = ['--output', 'jsonpath={.items[*].spec.nodeName}']
    const synced = ['--selector', 'vplane.dev/synced-by=dev']
    const onHost = await plane.onHost('get', 'pods', ...synced, ...path)
    expect(onHost.split(' ').toSorted()).toEqual(nodes)
  })

  test('a pod that fits nowhere is Pending, by the word of its own scheduler', async () => {
    await plane.apply(pod('lost', [serverContainer()], { nodeSelector: { [RACK]: 'three' } }))

    await until('the event', async () => (await ok('get', 'events')).includes('FailedScheduling'))
    const path = '.items[?(@.reason=="FailedScheduling")].message'
    expect(await get('events', path)).toContain("didn't match Pod's node affinity/selector")
    expect(await get('pod/lost', '.status.phase')).toBe('Pending')
    expect(await plane.onHost('get', 'pods', '--output', 'name')).not.toContain('lost')
  })

  test('a pod that waits goes where its user makes room for it', async () => {
    const node = plane.cli.lab.nodes[0] ?? ''
    await ok('label', 'node', node, `${RACK}=three`)

    await ok('wait', '--for=condition=Ready', 'pod/lost', '--timeout=120s')

    expect(await get('pod/lost', '.spec.nodeName')).toBe(node)
    await expect.poll(() => ok('logs', 'lost')).toContain('Started HTTP server')
  })

  test('another scheduler continues when the leader is stopped', async () => {
    const lease = ['get', 'lease', 'kube-scheduler', '--namespace=kube-system']
    const leader = async () =>
      (await ok(...lease, '--output', 'jsonpath={.spec.holderIdentity}')).split('_')[0] ?? ''
    const former = await leader()
    await plane.onHost('delete', 'pod', former, '--wait=false')
    await until('another leader', async () => ![former, ''].includes(await leader()))

    await plane.apply(pod('after', [serverContainer()]))

    await ok('wait', '--for=condition=Ready', 'pod/after', '--timeout=120s')
    await ok('delete', 'pod', 'after', '--now')
  })

  test('a volume is made near the node that was chosen, and is known to be there', async () => {
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
    const volumeMounts = [{ name: 'data', mountPath: '/data' }]
    const script = 'echo kept > /data/file; sleep 3600'
    await plane.apply(
      claim('data'),
      pod('writer', [shellContainer('main', script, { volumeMounts })], { volumes }),
    )

    await ok('wait', '--for=condition=Ready', 'pod/writer', '--timeout=120s')

    const volume = await get('pvc/data', '.spec.volumeName')
    const node = await get('pod/writer', '.spec.nodeName')
    expect(await get(`pv/${volume}`, '.spec.nodeAffinity')).toContain(node)
  })

  test('a node that the host has cordoned gets no more pods', async () => {
    const [node = ''] = simulated.names
    await plane.cli.host(['cordon', node])
    await until('the taint', async () =>
      (await get(`node/${node}`, '.spec.taints[*].key')).includes('host-unschedulable'),
    )

    await plane.apply(
      pod('late', [serverContainer()], { ...ON_SIMULATED_NODES, nodeSelector: { [RACK]: 'one' } }),
    )
    await until('the refusal', async () =>
      (await get('pod/late', '.status.conditions[*].message')).includes('untolerated taint'),
    )
    await plane.cli.host(['uncordon', node])

    await ok('wait', '--for=condition=Ready', 'pod/late', '--timeout=120s')
    expect(await get('pod/late', '.spec.nodeName')).toBe(node)
  })

  test('is described, logged, paused and resumed with its scheduler', async () => {
    const { cli, place } = plane
    const described = (): Promise<unknown> => cli.json(['describe', 'dev', ...place, '--json'])
    await expect.poll(described, { timeout: 120_000 }).toMatchObject({
      components: expect.arrayContaining([
        expect.objectContaining({
          name: 'kube-scheduler',
          state: 'running',
          replicas: { wanted: 2, ready: 2 },
        }),
      ]),
    })
    expect(await cli.ok(['logs', 'dev', 'kube-scheduler', ...place])).toContain('Serving securely')

    await cli.ok(['pause', 'dev', ...place])
    const name = 'deployment/vplane-dev-kube-scheduler'
    expect(await plane.onHost('get', name, '--output', 'jsonpath={.spec.replicas}')).toBe('0')

    await cli.ok(['resume', 'dev', ...place])
    await ok('wait', '--for=condition=Ready', 'pod/lost', '--timeout=120s')
  })

  test('leaves nothing on the host, in its namespace and beyond', async () => {
    await plane.cli.ok(['delete', 'dev', ...plane.place, '--yes'])

    const left = await plane.cli.host(['get', 'namespaces,clusterroles', '--output', 'name'])
    expect(left).not.toContain(plane.place[1])
  })

  test('is not waited for when its scheduler cannot run', async () => {
    const place = ['--namespace', plane.cli.newNamespace(), '--ephemeral']
    const flags = [...SCHEDULED, '--set', 'scheduler.extraArgs.nonsense=1']

    const { code, stderr } = await plane.cli.run(['create', 'broken', ...place, ...flags])

    expect(code, stderr).toBe(7)
    expect(stderr).toContain('kube-scheduler of "broken" cannot run')
    expect(stderr).toContain('unknown flag: --nonsense')
  })

  test('is refused without the nodes that it would choose among', async () => {
    const place = ['--namespace', plane.cli.newNamespace()]
    const flags = ['--sync', '--set', 'sync.scheduler=virtual']

    const { code, stderr } = await plane.cli.run(['create', 'blind', ...place, ...flags])

    expect(code).toBe(2)
    expect(stderr).toContain('needs "sync.nodes"')
    expect(stderr).toContain('--sync-nodes')
  })
})
