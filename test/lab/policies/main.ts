import { setTimeout as delay } from 'node:timers/promises'
import { stderrUi } from '../../support/cli/stderr-ui.ts'
import { hostClient } from '../cluster/host-client.ts'
import { openCluster } from '../cluster/open-cluster.ts'
import { labFolder } from '../lab-folder.ts'
import { applyRuleset } from '../node/apply-ruleset.ts'
import { findNamespaces } from '../node/node-namespaces.ts'
import { enforcePolicies } from './enforce-policies.ts'

// The process that enforces the network policies of one cluster, which `start-enforcer.ts` starts.
const [cache = '', name = ''] = process.argv.slice(2)
const { signal } = new AbortController()
const { cluster } = await openCluster(name, {
  folder: labFolder(cache),
  environment: {},
  ui: stderrUi('policies'),
  signal,
})
const { plan, processes, tools } = cluster
const nodes = {
  names: plan.nodes.map((node) => node.name),
  apply: async (node: string, ruleset: string) => {
    const namespaces = findNamespaces(node, processes, tools)
    // Tests end nodes.
    if (namespaces !== undefined) {
      await applyRuleset(namespaces, ruleset, tools)
    }
  },
}
const client = hostClient(cluster)
for (;;) {
  try {
    await enforcePolicies(client, nodes)
  } catch (error) {
    process.stderr.write(`${String(error)}\n`)
    await delay(1000)
  }
}
