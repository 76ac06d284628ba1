import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../../src/shared/wait.ts'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { installMetricsServer, metricsServerChart } from '../../lab/addons/metrics-server.ts'
import { AGNHOST_IMAGE } from '../../lab/images/lab-images.ts'
import { createSyncedPlane, type SyncedPlane } from '../../support/host/planes/synced-plane.ts'

const API = 'apiservice/v1beta1.metrics.k8s.io'
const SYSTEM = ['--namespace', 'kube-system']

/** The chart prefers the addresses of nodes of type InternalIP, which are those of the host's. */
const BY_NAME =
  '--set=defaultArgs={--cert-dir=/tmp,--kubelet-preferred-address-types=Hostname,--kubelet-use-node-status-port,--metric-resolution=15s}'

// In their order: the host has no metrics at first, and none in the end.
describeOnHost('metrics in a plane', { shuffle: false }, () => {
  let plane: SyncedPlane
  let metrics: AsyncDisposable | undefined

  beforeAll(async () => {
    plane = await createSyncedPlane()
    await plane.apply(busyDeployment())
    await plane.ok('rollout', 'status', 'deployment/busy', '--timeout=120s')
  })
  afterAll(async () => {
    await metrics?.[Symbol.asyncDispose]()
    await plane[Symbol.asyncDispose]()
  })

  test('are not there while the host has none, and keep nothing from ending', async () => {
    const { stderr } = await plane.cli.kubectl(['top', 'pods'])

    expect(stderr).toContain('Metrics API not available')
    await endsNamespace('first')
  })

  // Seed 004: "kubectl top" and what scales by it work as in any cluster.
  test('are those of its own pods, and the sums of them', async () => {
    metrics = await installMetricsServer(plane.cli.lab)

    await within('metrics of pods', 120_000, async () => (await top('pods')).startsWith('busy-'))
    await within('metrics of nodes', 60_000, async () => / \d+m /.test(await top('nodes')))
    await plane.ok('wait', API, '--for=condition=Available', '--timeout=120s')
    const selected = await top('pods', '--selector', 'app=other')

    expect(selected).toBe('')
    expect(await plane.ok('get', '--raw', '/apis/metrics.k8s.io/v1beta1/pods')).not.toContain(
      'vplane-',
    )
    await endsNamespace('second')
  })

  test('let a HorizontalPodAutoscaler scale', async () => {
    await plane.ok('autoscale', 'deployment', 'busy', '--cpu=20%', '--min=1', '--max=2')

    await within('a second pod', 120_000, async () => {
      const replicas = ['get', 'deployment', 'busy', '--output', 'jsonpath={.spec.replicas}']
      return (await plane.ok(...replicas)) === '2'
    })
  })

  test('are at the kubelets of its nodes, for those who may read them there', async () => {
    const node = await plane.ok('get', 'nodes', '--output', 'jsonpath={.items[0].metadata.name}')
    const at = (path: string) => plane.ok('get', '--raw', `/api/v1/nodes/${node}/proxy${path}`)
    const text = await at('/metrics/resource')
    const summary: unknown = JSON.parse(await at('/stats/summary'))

    expect(text).toMatch(/^container_cpu_usage_seconds_total\{container="busy",.*pod="busy-/m)
    expect(text).not.toContain('vplane-')
    expect(summary).toMatchObject({
      node: { nodeName: node, memory: { workingSetBytes: expect.any(Number) } },
      pods: expect.arrayContaining([
        expect.objectContaining({ podRef: expect.objectContaining({ namespace: 'default' }) }),
      ]),
    })
  })

  // As its chart has it: it finds the kubelets by the nodes, trusts the plane's CA, and shows its own token.
  test('reach a metrics-server of the plane, which may take the place of the syncer', async () => {
    const { flags, folder } = await metricsServerChart()
    const helm = await plane.cli.lab.helm()
    const settings = [...SYSTEM, '--set=apiService.create=false', BY_NAME, ...flags]
    const install = [helm, 'install', 'metrics-server', folder, ...settings]
    await plane.cli.ok(['connect', 'dev', ...plane.place, '--', ...install])
    // It is ready when it has measured the same container twice.
    await plane.ok('rollout', 'status', 'deployment/metrics-server', ...SYSTEM, '--timeout=120s')
    const service = { name: 'metrics-server', port: 443 }
    const spec = { service, caBundle: null, insecureSkipTLSVerify: true }
    await plane.ok('patch', API, '--type=merge', '--patch', JSON.stringify({ spec }))

    await within('metrics of pods', 60_000, async () => (await top('pods')).startsWith('busy-'))
    await plane.ok('delete', API)
    await within("the syncer's own", 120_000, async () => {
      const name = ['--output', 'jsonpath={.spec.service.name}']
      return (await plane.cli.kubectl(['get', API, ...name])).stdout === 'vplane-metrics'
    })
  })

  test('go with those of the host', async () => {
    await metrics?.[Symbol.asyncDispose]()
    metrics = undefined

    await within('the end of the API', 120_000, async () => {
      const { stderr } = await plane.cli.kubectl(['get', API])
      return stderr.includes('NotFound')
    })
    await endsNamespace('third')
    await plane.ok('api-resources')
  })

  /** The lines of `kubectl top`; empty while there are none. */
  async function top(...args: string[]): Promise<string> {
    return (await plane.cli.kubectl(['top', ...args, '--no-headers'])).stdout
  }

  /** A namespace ends only when all APIs say what they have of it. */
  async function endsNamespace(name: string): Promise<void> {
    await plane.ok('create', 'namespace', name)
    await plane.ok('delete', 'namespace', name, '--timeout=120s')
  }
})

/** One that always uses more than it asks for. */
function busyDeployment() {
  const labels = { app: 'busy' }
  const container = {
    name: 'busy',
    image: AGNHOST_IMAGE,
    args: ['stress', '--cpus=1'],
    resources: { requests: { cpu: '50m' }, limits: { cpu: '100m' } },
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'busy' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  }
}

async function within(
  what: string,
  timeoutMs: number,
  condition: () => Promise<boolean>,
): Promise<void> {
  await waitFor(condition, { what, timeoutMs, intervalMs: 500 })
}
