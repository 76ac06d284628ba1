import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostLab } from './host-lab.ts'
import { MAY_BE_SIMULATED } from '../../test/lab/simulated/simulated-node.ts'
import type { CommandRun } from '../run-command.ts'
import { accessIn, type StaticAccess } from '../static-kubeconfig.ts'

/** A plane that runs pods, in a host namespace of its own that has its name. It goes when it is disposed. */
export interface SyncedPlane extends AsyncDisposable {
  name: string
  namespace: string
  /** Runs kubectl in the plane, without vplane between them. */
  kubectl: (...args: string[]) => Promise<CommandRun>
  /** How its API is reached, without vplane between. */
  access: StaticAccess
}

export async function makeSyncedPlane(host: HostLab, name: string): Promise<SyncedPlane> {
  const place = [name, '--namespace', name]
  await host.vplane('create', ...place, '--ephemeral', '--sync', ...MAY_BE_SIMULATED)
  const { stdout } = await host.vplane('kubeconfig', ...place, '--embed-credentials')
  const kubeconfig = join(host.workspace.folder, `${name}.kubeconfig`)
  writeFileSync(kubeconfig, stdout, { mode: 0o600 })
  return {
    name,
    namespace: name,
    access: accessIn(stdout),
    kubectl: (...args) => host.workspace.run(['kubectl', ...args], { KUBECONFIG: kubeconfig }),
    [Symbol.asyncDispose]: async () => {
      await host.vplane('delete', ...place, '--yes')
    },
  }
}

/** What the syncer of a plane says of itself, by the names of its metrics. */
export async function syncerMetrics(
  { kubectl }: HostLab,
  { namespace }: SyncedPlane,
): Promise<Map<string, number>> {
  const pods = `/api/v1/namespaces/${namespace}/pods`
  const selector = ['--selector', 'vplane.dev/component=syncer', '--output', 'name']
  const { stdout: name } = await kubectl('get', 'pods', '-n', namespace, ...selector)
  const path = `${pods}/${name.trim().replace('pod/', '')}:10251/proxy/metrics`
  const { stdout } = await kubectl('get', '--raw', path)
  const lines = stdout.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const [metric = '', value = ''] = line.split(' ')
      return [metric, Number(value)]
    }),
  )
}
