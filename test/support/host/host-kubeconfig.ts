import { writeFileSync } from 'node:fs'
import type { HostCli } from './host-cli.ts'

/** The parts of a kubeconfig with one context that tests change. */
export interface HostKubeconfig {
  cluster: Record<string, unknown>
  user: Record<string, unknown>
}

/**
 * Writes the kubeconfig of `cli` again with another connection to its host. It has nothing else then.
 *
 * @returns what the way was.
 */
export async function changeHostKubeconfig(
  cli: HostCli,
  change: (way: HostKubeconfig) => Partial<HostKubeconfig>,
): Promise<HostKubeconfig> {
  const view = ['config', 'view', '--raw', '--minify', '--flatten', '--output', 'json']
  const kubeconfig: {
    clusters: Array<{ name: string; cluster: Record<string, unknown> }>
    users: Array<{ name: string; user: Record<string, unknown> }>
  } = JSON.parse(await cli.host(view))
  const way = {
    cluster: kubeconfig.clusters[0]?.cluster ?? {},
    user: kubeconfig.users[0]?.user ?? {},
  }
  const { cluster, user } = { ...way, ...change(way) }
  const changed = {
    ...kubeconfig,
    clusters: kubeconfig.clusters.map(({ name }) => ({ name, cluster })),
    users: kubeconfig.users.map(({ name }) => ({ name, user })),
  }
  writeFileSync(cli.kubeconfig, JSON.stringify(changed), { mode: 0o600 })
  return way
}
