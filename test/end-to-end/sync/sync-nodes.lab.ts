import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost, isExternal } from '../../lab/describe-lab.ts'
import { BUSYBOX_IMAGE } from '../../lab/images/lab-images.ts'
import { MAY_BE_SIMULATED, ON_SIMULATED_NODES } from '../../lab/simulated/simulated-node.ts'
import { createSyncedPlane, type SyncedPlane } from '../../support/host/planes/synced-plane.ts'
import { until } from '../../support/until.ts'
import { deployment, pod, serverContainer } from '../../support/host/planes/workloads.ts'

const AFFINITIES = 'jsonpath={range .items[*]}{.metadata.name} {.spec.affinity}{"\\n"}{end}'
const DEBUG = ['debug', 'web', `--image=${BUSYBOX_IMAGE}`, '--image-pull-policy=IfNotPresent']

// In their order: the pod of the first test is used by others, and its node is drained in the end.
describeOnHost('nodes of a plane', { shuffle: false }, () => {
  let plane: SyncedPlane
  let node: string
  const ok = (...args: string[]) => plane.ok(...args)
  const get = (what: string, path: string) => ok('get', what, '--output', `jsonpath={${path}}`)

  beforeAll(async () => {
    plane = await createSyncedPlane(['--sync-nodes', ...MAY_BE_SIMULATED])
    await plane.apply(pod('web', [serverContainer()]))
    await ok('wait', '--for=condition=Ready', 'pod/web', '--timeout=120s')
    node = await get('pod/web', '.spec.nodeName')
  })
  afterAll(() => plane[Symbol.asyncDispose]())

  // Seed 004: "vcluster by default creates a false node … does not by default have RBAC permissions to access the real nodes".
  test('a node shows what the host node shows, except the address of its kubelet', async () => {
    const shown = '{.status.capacity} {.metadata.labels.kubernetes\\.io/hostname}'
    const path = ['get', 'node', node, '--output', `jsonpath=${shown}`]

    expect(await ok(...path)).toBe(await plane.cli.host(path))
    expect(await get(`node/${node}`, '.status.addresses[0].address')).toContain('vplane-dev-syncer')
    expect(await ok('logs', 'web')).toContain('Started HTTP server')
  })

  test('what the host says about a pod is an Event of the plane', async () => {
    await plane.apply(
      pod('broken', [{ name: 'app', image: 'example.com/none:1', imagePullPolicy: 'Never' }]),
    )

    await until('the event', async () =>
      (await ok('describe', 'pod', 'broken')).includes('ErrImageNeverPull'),
    )
    const events = JSON.parse(
      await ok('get', 'events', '--field-selector=involvedObject.name=broken', '--output=json'),
    )
    expect(events.items).toContainEqual(
      expect.objectContaining({
        type: 'Warning',
        source: { component: 'kubelet', host: node },
        involvedObject: expect.objectContaining({
          name: 'broken',
          namespace: 'default',
          fieldPath: 'spec.containers{app}',
        }),
      }),
    )
    expect(JSON.stringify(events)).not.toContain('-x-')
    await ok('delete', 'pod', 'broken', '--now')
  })

  test('kubectl debug looks into a container that runs', async () => {
    const look = ['--container=look', '--target=server', '--profile=baseline', '--stdin']
    const script = 'read word; echo $word; tr "\\0" " " < /proc/1/cmdline'
    const args = [...DEBUG, ...look]

    const { code, stderr } = await plane.cli.kubectl([...args, '--', 'sh', '-c', script], {
      input: 'hello\n',
    })

    expect(code, stderr).toBe(0)
    // What is said just before a container ends may not reach who is attached, on any cluster.
    expect(await ok('logs', 'web', '--container=look')).toMatch(/^hello\n.*netexec/)
  })

  test('kubectl debug says what the plane does not allow', async () => {
    await ok(...DEBUG, '--container=tracer', '--profile=general', '--attach=false')

    await until('the reason', async () =>
      (await get('pod/web', '.status.ephemeralContainerStatuses[*].state.waiting')).includes(
        '--profile=baseline',
      ),
    )
    expect(await plane.onHost('get', 'pods', '--output=yaml')).not.toContain('tracer')
  })

  test('a container is resized while it runs', async () => {
    const resources = { requests: { cpu: '11m' }, limits: { cpu: '500m' } }
    await plane.apply(pod('sized', [serverContainer({ resources })]))
    await ok('wait', '--for=condition=Ready', 'pod/sized', '--timeout=120s')
    const containers = [{ name: 'server', resources: { requests: { cpu: '12m' } } }]
    const patch = JSON.stringify({ spec: { containers } })

    await ok('patch', 'pod', 'sized', '--subresource=resize', '--patch', patch)

    await until('the new size', async () =>
      (await get('pod/sized', '.status.containerStatuses[0].resources')).includes('12m'),
    )
    expect(await get('pod/sized', '.status.containerStatuses[0].restartCount')).toBe('0')
    await ok('delete', 'pod', 'sized', '--now')
  })

  test('a DaemonSet has a pod on each node', async () => {
    const { metadata, spec } = deployment('agent', { replicas: 1, containers: [serverContainer()] })
    const { replicas: _, ...ofDaemonSet } = spec
    await plane.apply({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec: ofDaemonSet })

    await until('its pods', async () => (await podsOn('app=agent')) !== '')
    await ok('rollout', 'status', 'daemonset/agent', '--timeout=120s')

    const nodes = (await get('nodes', '.items[*].metadata.name')).split(' ')
    expect((await podsOn('app=agent')).split(' ').toSorted()).toEqual(nodes.toSorted())
  })

  test('a node that is cordoned gets no new pods until it is uncordoned', async () => {
    const here = { nodeSelector: { 'kubernetes.io/hostname': node } }
    await plane.apply(pod('lost', [serverContainer()], { nodeSelector: { nowhere: 'yes' } }))
    await ok('cordon', node)
    // Another watch than that of pods tells the syncer, which then says so to the host of pods that wait.
    await until('the syncer to know', async () =>
      /^lost-x-\S+ .*NotIn/m.test(await plane.onHost('get', 'pods', '--output', AFFINITIES)),
    )
    await plane.apply(pod('late', [serverContainer()], here))
    await until('the host to find no node for it', async () =>
      (await ok('get', 'events', '--field-selector=involvedObject.name=late')).includes(
        'FailedScheduling',
      ),
    )

    expect(await get('pod/late', '.status.phase')).toBe('Pending')
    await ok('uncordon', node)
    await plane.apply(pod('later', [serverContainer()], here))

    await ok('wait', '--for=condition=Ready', 'pod/late', 'pod/later', '--timeout=120s')
    await ok('delete', 'pod', 'late', 'later', 'lost', '--now')
  })

  test('a node is drained, by the leave of disruption budgets', async () => {
    await plane.apply(deployment('shop', { replicas: 1, containers: [serverContainer()] }))
    await ok('rollout', 'status', 'deployment/shop', '--timeout=120s')
    const drained = await podsOn('app=shop')
    await ok('create', 'poddisruptionbudget', 'shop', '--selector=app=shop', '--min-available=1')
    const drain = ['drain', drained, '--ignore-daemonsets', '--force']
    // The host may evict it without --force: its pod is not taken for one that nobody would replace.
    const mine = '--pod-selector=vplane.dev/synced-by=dev'
    await plane.cli.host(['drain', drained, mine, '--delete-emptydir-data', '--dry-run=client'])

    const refused = await plane.cli.kubectl([...drain, '--timeout=20s'])
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('disruption budget')
    expect(await podsOn('app=shop')).toBe(drained)

    await ok('delete', 'poddisruptionbudget', 'shop')
    await ok(...drain, '--timeout=120s')

    const left = ['get', 'pods', `--field-selector=spec.nodeName=${drained}`]
    const names = await ok(...left, '--output', 'jsonpath={.items[*].metadata.labels.app}')
    expect(names).toBe('agent')
    await ok('uncordon', drained)
    await ok('rollout', 'status', 'deployment/shop', '--timeout=120s')
  })

  test.skipIf(isExternal)('a node is not ready when that of the host is gone', async () => {
    const simulated = await plane.cli.lab.addSimulatedNodes({ count: 1 })
    await using gone = new AsyncDisposableStack()
    gone.use(simulated)
    const [name] = simulated.names
    await plane.apply(pod('far', [serverContainer()], ON_SIMULATED_NODES))
    await ok('wait', '--for=condition=Ready', 'pod/far', '--timeout=120s')
    expect(await get(`node/${name}`, '.spec.taints[*].key')).toContain('vplane.dev/simulated')

    await gone.disposeAsync()

    await until('the node to be said to be gone', async () =>
      (await get(`node/${name}`, '.status.conditions[*].reason')).includes('HostNodeGone'),
    )
    expect(await ok('get', 'node', `${name}`)).toContain('NotReady')
  })

  /** The nodes of pods, by their label. */
  function podsOn(selector: string): Promise<string> {
    const path = ['--output', 'jsonpath={.items[*].spec.nodeName}']
    return ok('get', 'pods', '--selector', selector, ...path)
  }
})
