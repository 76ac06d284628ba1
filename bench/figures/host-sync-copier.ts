import { alternate } from '../alternate.ts'
import { ratio } from '../compare.ts'
import type { Figure } from '../figure.ts'
import { apiWrites, writesPerPod } from '../host/api-writes.ts'
import type { HostLab } from '../host/host-lab.ts'
import { runPods, TIMEOUT } from '../host/run-pods.ts'
import { makeSyncedPlane, type SyncedPlane } from '../host/host-synced-plane.ts'
import { openWays } from '../host/host-ways.ts'
import { startMinimalCopier } from '../host/minimal-copier.ts'
import { accessIn } from '../static-kubeconfig.ts'

const NAMES = { syncer: 'bench-syncer', copier: 'bench-copier' }
const NODES = 40
const PODS = 300

/** Many pods in a plane, beside as many in one whose pods are copied by the least that does it. */
export const hostSyncCopierFigure: Figure = {
  name: 'host-sync-copier',
  async measure(bench) {
    const host = await bench.host()
    if (host === undefined) {
      return []
    }
    await using nodes = await host.lab.addSimulatedNodes({ count: NODES })
    await using synced = await makeSyncedPlane(host, NAMES.syncer)
    await using copied = await makeSyncedPlane(host, NAMES.copier)
    await stopSyncer(host, copied)
    await using namespace = await host.namespace(`${NAMES.copier}-pods`)
    // The syncer has no tunnel either.
    const { direct } = await openWays(host, copied)
    await using _copier = await startMinimalCopier({
      plane: direct,
      host: accessIn(host.lab.kubeconfig),
      hostNamespace: namespace.name,
      namespace: 'default',
      nodes: nodes.names,
    })
    const notes: string[] = []
    const measured = (name: keyof typeof NAMES, plane: SyncedPlane) => async () => {
      const before = await Promise.all([apiWrites(plane.kubectl), apiWrites(host.kubectl)])
      const ms = await runPods(plane.kubectl, PODS)
      const after = await Promise.all([apiWrites(plane.kubectl), apiWrites(host.kubectl)])
      const [own, hosts] = ([0, 1] as const).map((side) =>
        writesPerPod({ before: before[side], after: after[side] }, PODS),
      )
      notes.push(
        `${name}: writes per pod, created and deleted, to the plane: ${own}; to the host: ${hosts}`,
      )
      bench.say(notes.at(-1) ?? '')
      return ms
    }
    const samples = await alternate(bench.rounds, {
      syncer: measured('syncer', synced),
      copier: measured('copier', copied),
    })
    return [
      ratio({
        name: 'host-sync-copier',
        what: `${PODS} pods at once in a plane, until all are ready`,
        unit: 'ms',
        of: 'syncer',
        to: { samples: 'copier', what: 'with a minimal copier in place of the syncer' },
        target: 1.2,
        samples,
        notes: notes.slice(-2),
      }),
    ]
  },
}

async function stopSyncer(
  { kubectl }: HostLab,
  { name, namespace }: Pick<SyncedPlane, 'name' | 'namespace'>,
): Promise<void> {
  const syncer = `deployment/vplane-${name}-syncer`
  await kubectl('scale', syncer, '-n', namespace, '--replicas', '0')
  const selector = ['--selector', 'vplane.dev/component=syncer']
  await kubectl('wait', 'pods', '-n', namespace, ...selector, '--for=delete', TIMEOUT)
}
