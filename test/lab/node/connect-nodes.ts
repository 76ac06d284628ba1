import type { AddressPlan } from '../cluster/state/address-plan.ts'
import type { DebianTools } from '../machine/debian-tools.ts'
import { runCommand } from '../machine/run-command.ts'
import { applyRuleset } from './apply-ruleset.ts'
import { MASQUERADE, networkPlan } from './network-plan.ts'
import type { NodeNamespaces } from './node-namespaces.ts'

/** Nodes route; what crosses the bridge of the first node is not for its packet filter. */
const SETTINGS = `set -e
echo 1 > /proc/sys/net/ipv4/ip_forward
if [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ]; then
  echo 0 > /proc/sys/net/bridge/bridge-nf-call-iptables
fi
`

/** Connects the new networks of a cluster's nodes with each other and with the machine. */
export async function connectNodes(
  plan: AddressPlan,
  namespaces: readonly NodeNamespaces[],
  tools: DebianTools,
): Promise<void> {
  const { machine, nodes } = networkPlan(
    plan,
    namespaces.map(({ holder }) => holder.processId),
  )
  const ip = [tools.pathOf('ip'), '-batch', '-']
  await run(tools, ip, lines(machine))
  for (const [index, node] of namespaces.entries()) {
    await run(tools, [...node.network, ...ip], lines(nodes[index] ?? []))
    await run(tools, [...node.network, '/bin/sh'], SETTINGS)
    await applyRuleset(node, MASQUERADE, tools)
  }
}

/** Cuts the cable to the machine, if there is one: what is in the nodes' networks ends with them. */
export async function disconnectNodes(
  { machineInterface }: AddressPlan,
  tools: DebianTools,
): Promise<void> {
  const ip = tools.pathOf('ip')
  const links: unknown = JSON.parse(await runCommand(ip, ['-json', 'link'], { env: tools.env }))
  const isThere =
    Array.isArray(links) &&
    links.some((link: { ifname?: string }) => link.ifname === machineInterface)
  if (isThere) {
    await runCommand(ip, ['link', 'delete', machineInterface], { env: tools.env })
  }
}

async function run(tools: DebianTools, command: readonly string[], input: string): Promise<void> {
  const [program = '', ...args] = command
  await runCommand(program, args, { env: tools.env, input })
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('')
}
