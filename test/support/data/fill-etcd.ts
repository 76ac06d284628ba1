import { expect } from 'vitest'
import type { Cli } from '../cli/cli.ts'

/**
 * Changes one object of a plane until its etcd takes no more: what is full of old revisions can be made room in.
 *
 * @param plane the words that name it: `dev --namespace team-a`.
 */
export async function fillEtcd(cli: Cli, plane: readonly string[]): Promise<void> {
  const filler = 'x'.repeat(500_000)
  const apply = ['kubectl', 'apply', '--server-side', '--filename', '-']
  let round = 0
  const next = async () => {
    round += 1
    const metadata = { name: 'filler' }
    const data = { filler, round: String(round) }
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data })
    return (await cli.run(['connect', ...plane, '--', ...apply], { input })).stderr
  }
  await expect.poll(next, { timeout: 120_000, interval: 1 }).toContain('database space exceeded')
}
