import { beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../src/shared/wait.ts'
import { describeInLab } from './describe-lab.ts'
import { installMetricsServer, metricsServerChart } from './addons/metrics-server.ts'
import { type Lab, startLab } from './lab.ts'
import { makeNamespace } from './make-namespace.ts'
import { runCommand } from './machine/run-command.ts'
import { ON_SIMULATED_NODES } from './simulated/simulated-node.ts'

describeInLab('what tests ask for besides', () => {
  let lab: Lab

  // Here and not in a test: what is not built yet takes minutes.
  beforeAll(async () => {
    lab = await startLab()
    await lab.loadMetricsServerImage()
    await lab.helm()
    await using _ = await lab.addSimulatedNodes({ count: 1 })
    return () => lab[Symbol.asyncDispose]()
  })

  test('helm installs a chart', async () => {
    await using namespace = await makeNamespace(lab)
    const program = await lab.helm()
    const chart = await metricsServerChart()
    const place = ['--namespace', namespace.name, '--kubeconfig', lab.kubeconfigPath]
    const helm = (...args: string[]) => runCommand(program, [...args, ...place])

    await helm('install', 'some', chart.folder, ...chart.flags, '--set=replicas=0')
    const status = await helm('status', 'some')
    await helm('uninstall', 'some', '--wait')

    expect(status).toContain('STATUS: deployed')
  })

  test('metrics-server answers for nodes and pods until it is disposed', async () => {
    {
      await using _ = await installMetricsServer(lab)

      expect(await lab.kubectl(['top', 'nodes', '--no-headers'])).toMatch(/^\S+ +\d+m /)
      const top = () => lab.kubectl(['top', 'pods', '--all-namespaces'])
      await waitFor(async () => / coredns-\S+ +\d+m /.test(await top()), {
        what: 'metrics of pods',
        timeoutMs: 60_000,
        intervalMs: 500,
      })
    }

    await expect(lab.kubectl(['top', 'nodes'])).rejects.toThrow(/Metrics API not available/)
    expect(await lab.kubectl(['get', 'all', '--all-namespaces'])).not.toContain('metrics-server')
  })

  test('simulated nodes run pods that tolerate them, and go with their pods', async () => {
    await using namespace = await makeNamespace(lab)
    const before = await lab.kubectl(['get', 'nodes', '--output=name'])
    {
      await using nodes = await lab.addSimulatedNodes({ count: 3 })
      await namespace.apply(deployment('many', 30))
      await namespace.kubectl('rollout', 'status', 'deployment/many', '--timeout=60s')

      const path = 'jsonpath={.items[*].spec.nodeName}'
      const used = (await namespace.kubectl('get', 'pods', '--output', path)).split(' ')
      expect(nodes.names).toHaveLength(3)
      expect([...new Set(used)].toSorted()).toEqual(nodes.names)
      await namespace.kubectl('delete', 'deployment,replicaset', '--all', '--cascade=orphan')
    }

    expect(await lab.kubectl(['get', 'nodes', '--output=name'])).toBe(before)
    expect(await namespace.kubectl('get', 'pods', '--output=name')).toBe('')
  })
})

function deployment(name: string, replicas: number) {
  const labels = { app: name }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name, image: 'example.com/any:1' }], ...ON_SIMULATED_NODES },
      },
    },
  }
}
