import { waitFor } from '../../src/shared/wait.ts'
import { alternate } from '../alternate.ts'
import { ratio, value } from '../compare.ts'
import type { Bench, Figure, Result } from '../figure.ts'
import type { HostLab } from '../host/host-lab.ts'
import { createPods, runPods, TIMEOUT } from '../host/run-pods.ts'
import { syncerMemory } from '../host/host-pod-memory.ts'
import { makeSyncedPlane, type SyncedPlane, syncerMetrics } from '../host/host-synced-plane.ts'

const NAME = 'bench-scale'
const NODES = 40
const AT_ONCE = 300
const MANY = 2000

/** Many pods in a plane, on simulated nodes, beside as many on the host alone. */
export const hostSyncScaleFigure: Figure = {
  name: 'host-sync-scale',
  async measure(bench) {
    const host = await bench.host()
    if (host === undefined) {
      return []
    }
    await using nodes = await host.lab.addSimulatedNodes({ count: NODES })
    bench.say(`${nodes.names.length} simulated nodes`)
    await using plane = await makeSyncedPlane(host, NAME)
    return [await measureAtOnce(host, plane, bench), ...(await measureMany(host, plane, bench))]
  },
}

async function measureAtOnce(
  host: HostLab,
  plane: SyncedPlane,
  { rounds }: Bench,
): Promise<Result> {
  await using namespace = await host.namespace(`${NAME}-host`)
  const inNamespace = (...args: string[]) => host.kubectl('--namespace', namespace.name, ...args)
  const samples = await alternate(rounds, {
    plane: () => runPods(plane.kubectl, AT_ONCE),
    host: () => runPods(inNamespace, AT_ONCE),
  })
  return ratio({
    name: 'host-sync-300',
    what: `${AT_ONCE} pods at once in a plane, until all are ready`,
    unit: 'ms',
    of: 'plane',
    to: { samples: 'host', what: 'on the host alone' },
    target: 1.15,
    samples,
  })
}

/** Once, however many rounds there are: it takes minutes. */
async function measureMany(
  host: HostLab,
  plane: SyncedPlane,
  { say, workspace }: Bench,
): Promise<Result[]> {
  await createPods(plane.kubectl, MANY)
  say(`${MANY} pods are ready`)
  const seconds = await nextComparison(host, plane, workspace)
  const memory = await syncerMemory(host, plane)
  await plane.kubectl('delete', 'deployment', 'many', '--cascade=foreground', '--wait', TIMEOUT)
  return [
    value({
      name: 'host-sync-2000-memory',
      what: `memory of a syncer with ${MANY} pods (working set)`,
      unit: 'MiB',
      of: 'syncer',
      target: 300,
      samples: { syncer: [memory] },
    }),
    value({
      name: 'host-sync-2000-comparison',
      what: `comparing all objects of a plane with ${MANY} pods`,
      unit: 'ms',
      of: 'comparison',
      target: 3000,
      samples: { comparison: [seconds * 1000] },
    }),
  ]
}

/** How long the next comparison of everything takes, in seconds. Looking for it often would make it slow. */
async function nextComparison(
  host: HostLab,
  plane: SyncedPlane,
  { signal }: Bench['workspace'],
): Promise<number> {
  const last = async () =>
    (await syncerMetrics(host, plane)).get('vplane_syncer_comparison_seconds')
  const before = await last()
  return waitFor(
    async () => {
      const seconds = await last()
      return seconds === before ? undefined : seconds
    },
    { what: 'a comparison', timeoutMs: 300_000, intervalMs: 5000, signal },
  )
}
