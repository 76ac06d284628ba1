import { join } from 'node:path'
import { waitFor } from '../../../src/shared/wait.ts'
import { METRICS_SERVER_IMAGE } from '../images/lab-images.ts'
import type { Lab } from '../lab.ts'
import { runCommand } from '../machine/run-command.ts'
import { toolSource } from '../programs/ensure-parts.ts'

const NAMESPACE = 'kube-system'
const TIMEOUT_MS = 120_000

/** What of the chart's values depends on the lab: certificates of its kubelets are nobody's, and tests do not wait. */
const FLAGS = [
  '--set=args={--kubelet-insecure-tls,--metric-resolution=10s,--kubelet-request-timeout=5s}',
  '--set=readinessProbe.initialDelaySeconds=0',
  '--set=readinessProbe.periodSeconds=1',
]

/** metrics-server's helm chart, as its Go module has it. */
export async function metricsServerChart(): Promise<{ folder: string; flags: string[] }> {
  return {
    folder: join(await toolSource('metrics-server'), 'charts/metrics-server'),
    // The chart is older than the program beside it, of which the lab has an image.
    flags: [`--set=image.tag=${METRICS_SERVER_IMAGE.tag}`],
  }
}

/**
 * Installs metrics-server in a cluster of the lab by its own chart, and returns when `kubectl top nodes` answers. It is
 * gone when it is disposed.
 */
export async function installMetricsServer(lab: Lab): Promise<AsyncDisposable> {
  const helm = await lab.helm()
  const { flags, folder } = await metricsServerChart()
  await lab.loadMetricsServerImage()
  const manifest = await runCommand(helm, [
    'template',
    'metrics-server',
    folder,
    `--namespace=${NAMESPACE}`,
    ...flags,
    ...FLAGS,
  ])
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => {
    const withPods = ['--cascade=foreground', '--ignore-not-found']
    await lab.kubectl(['delete', ...withPods, '--filename', '-'], manifest)
  })
  await lab.kubectl(['apply', '--server-side', '--filename', '-'], manifest)
  await waitFor(() => hasMetrics(lab), {
    what: 'metrics of the nodes',
    timeoutMs: TIMEOUT_MS,
    intervalMs: 500,
  })
  const owned = stack.move()
  return { [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function hasMetrics({ kubectl, nodes }: Lab): Promise<boolean> {
  // It fails as long as there are none at all.
  const table = await kubectl(['top', 'nodes', '--no-headers']).catch(() => '')
  return nodes.every((name) => new RegExp(`^${name} +\\d+m`, 'm').test(table))
}
