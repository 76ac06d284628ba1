import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PAUSE_IMAGE } from '../lab/images/lab-images.ts'
import type { HostCli } from '../support/host/host-cli.ts'
import { nodeKeepers } from './runs.ts'

/** A plane that specs run in. */
export interface PlaneForSpecs {
  /** The flags of commands that name it. */
  place: string[]
  /** The path of a kubeconfig of its administrator. */
  kubeconfig: string
}

/** Creates a plane with some flags, which keeps the nodes of the host, and writes its kubeconfig into a folder. */
export async function createPlaneForSpecs(
  cli: HostCli,
  { flags, folder, name }: { name: string; flags: readonly string[]; folder: string },
): Promise<PlaneForSpecs> {
  const place = [name, '--namespace', cli.newNamespace()]
  await cli.ok(['create', ...place, '--ephemeral', ...flags])
  const kubeconfig = join(folder, `${name}.kubeconfig`)
  const credentials = await cli.ok(['kubeconfig', ...place, '--embed-credentials'])
  await writeFile(kubeconfig, credentials, { mode: 0o600 })
  const inPlane = { env: { KUBECONFIG: kubeconfig } }
  const input = JSON.stringify(nodeKeepers(PAUSE_IMAGE, cli.lab.nodes.length))
  await cli.kubectlOk(['apply', '--filename', '-'], { ...inPlane, input })
  await cli.kubectlOk(['rollout', 'status', 'deployment/node-keeper', '--timeout=120s'], inPlane)
  return { place, kubeconfig }
}
