import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLeaving, type KubeObject } from '../../src/shared/kube/kube-object.ts'
import type { HostLab } from './host-lab.ts'
import { MAY_BE_SIMULATED } from '../../test/lab/simulated/simulated-node.ts'
import type { CommandRun } from '../run-command.ts'
import { accessIn, type StaticAccess } from '../static-kubeconfig.ts'

/** A plane that runs pods, in a host namespace of its own that has its name. It goes when it is disposed. */
export interface SyncedPlane extends AsyncDisposable {
  name: string
  namespace: string
  /** How its administrator reaches it, through the tunnel. */
  access: StaticAccess
  /** The path of a kubeconfig that says the same. */
  kubeconfig: string
  /** Runs kubectl in the plane, without vplane between them. */
  kubectl: (...args: string[]) => Promise<CommandRun>
}

/** @param flags of `vplane create`, besides those that all such planes have */
export async function makeSyncedPlane(
  host: HostLab,
  name: string,
  flags: readonly string[] = [],
): Promise<SyncedPlane> {
  const place = [name, '--namespace', name]
  await host.vplane('create', ...place, '--ephemeral', '--sync', ...MAY_BE_SIMULATED, ...flags)
  const { stdout } = await host.vplane('kubeconfig', ...place, '--embed-credentials')
  const kubeconfig = join(host.workspace.folder, `${name}.kubeconfig`)
  writeFileSync(kubeconfig, stdout, { mode: 0o600 })
  return {
    name,
    namespace: name,
    access: accessIn(stdout),
    kubeconfig,
    kubectl: (...args) => host.workspace.run(['kubectl', ...args], { KUBECONFIG: kubeconfig }),
    [Symbol.asyncDispose]: async () => {
      await host.vplane('delete', ...place, '--yes')
    },
  }
}

/** The name of the pod of a plane's syncer, which may be starting; empty while there is none. */
export async function syncerPod({ kubectl }: HostLab, { namespace }: SyncedPlane): Promise<string> {
  const selector = ['--selector', 'vplane.dev/component=syncer', '--output', 'json']
  const { stdout } = await kubectl('get', 'pods', '-n', namespace, ...selector)
  const { items }: { items: KubeObject[] } = JSON.parse(stdout)
  return items.find((pod) => !isLeaving(pod))?.metadata.name ?? ''
}

/** What the syncer of a plane says of itself, by the names of its metrics. */
export async function syncerMetrics(
  host: HostLab,
  plane: SyncedPlane,
): Promise<Map<string, number>> {
  const pods = `/api/v1/namespaces/${plane.namespace}/pods`
  const path = `${pods}/${await syncerPod(host, plane)}:10251/proxy/metrics`
  const { stdout } = await host.kubectl('get', '--raw', path)
  const lines = stdout.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const [metric = '', value = ''] = line.split(' ')
      return [metric, Number(value)]
    }),
  )
}
