import type { DebianTools } from '../machine/debian-tools.ts'
import { runCommand } from '../machine/run-command.ts'
import type { NodeNamespaces } from './node-namespaces.ts'

/** Applies text for `nft -f -` in a node's network: all of it, or nothing when it fails. */
export async function applyRuleset(
  { network }: NodeNamespaces,
  ruleset: string,
  tools: DebianTools,
): Promise<void> {
  const [program, ...args] = [...network, tools.pathOf('nft'), '-f', '-']
  await runCommand(program, args, { env: tools.env, input: ruleset })
}
