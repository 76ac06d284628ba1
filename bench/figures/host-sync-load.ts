import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts'
import { collectionPath, objectPath } from '../../src/shared/kube/collections.ts'
import { waitFor } from '../../src/shared/wait.ts'
import { NAMESPACE_LABEL } from '../../src/syncer/translate/markers.ts'
import { value } from '../compare.ts'
import type { Bench, Figure, Result } from '../figure.ts'
import { changeHostPods } from '../host/host-changes.ts'
import type { HostLab } from '../host/host-lab.ts'
import { createManyPods } from '../host/host-many-pods.ts'
import { syncerMemory } from '../host/host-pod-memory.ts'
import {
  makeSyncedPlane,
  type SyncedPlane,
  syncerMetrics,
  syncerPod,
} from '../host/host-synced-plane.ts'
import { type WatchedPods, watchPods } from '../host/host-watched-pods.ts'
import { ROOM_FOR_MUCH } from '../host/room-for-much.ts'
import { accessIn } from '../static-kubeconfig.ts'
import { quantile } from '../statistics.ts'

const NAME = 'bench-load'
const NODES = 50
const NAMESPACES = 200
const PODS_IN_EACH = 25
const PODS = NAMESPACES * PODS_IN_EACH
const CHANGES_PER_SECOND = 20
const CHANGE_SECONDS = 60
/** How many changes of the host a new syncer has to catch up with. */
const CHANGES_DURING_RESTART = 100
const READY_TIMEOUT_MS = 1_800_000
const RESTART_TIMEOUT_MS = 120_000

interface Load {
  host: HostLab
  client: KubeClient
  plane: SyncedPlane
  watched: WatchedPods
  /** The paths of the host pods. */
  paths: string[]
}

/** A plane with thousands of pods, on simulated nodes: its syncer's memory, the way of changes, a restart. */
export const hostSyncLoadFigure: Figure = {
  name: 'host-sync-load',
  async measure(bench) {
    const host = await bench.host()
    if (host === undefined) {
      return []
    }
    await using nodes = await host.lab.addSimulatedNodes({ count: NODES })
    bench.say(`${nodes.names.length} simulated nodes`)
    await using client = createKubeClient(accessIn(host.lab.kubeconfig))
    await using plane = await makeSyncedPlane(host, NAME, ROOM_FOR_MUCH)
    await using planeClient = createKubeClient(plane.access)
    await using watched = watchPods(planeClient)
    await runPods({ plane, watched }, bench)
    const load = { host, client, plane, watched, paths: await hostPods(client, plane) }
    return [...(await measureChanges(load, bench)), await measureRestart(load, bench)]
  },
}

async function runPods(
  { plane, watched }: Pick<Load, 'plane' | 'watched'>,
  { say, workspace: { signal } }: Bench,
): Promise<void> {
  const startedAt = performance.now()
  const others = watched.ready
  await createManyPods(plane, { namespaces: NAMESPACES, each: PODS_IN_EACH })
  await waitFor(async () => watched.ready >= others + PODS, {
    what: `${PODS} pods`,
    timeoutMs: READY_TIMEOUT_MS,
    signal,
  })
  say(`${PODS} pods are ready after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
}

async function hostPods(client: KubeClient, { namespace }: SyncedPlane): Promise<string[]> {
  const path = collectionPath('pods', namespace)
  const { items } = await client.list(path, { labelSelector: NAMESPACE_LABEL })
  return items.map(({ metadata }) => objectPath('pods', metadata))
}

async function measureChanges(
  load: Load,
  { say, workspace: { signal } }: Bench,
): Promise<Result[]> {
  const { host, paths, plane } = load
  const before = await syncerMemory(host, plane)
  const changed = paths.slice(0, CHANGES_PER_SECOND * CHANGE_SECONDS)
  const options = { ...load, paths: changed, perSecond: CHANGES_PER_SECOND, signal }
  const changes = await changeHostPods(options)
  const after = await syncerMemory(host, plane)
  const at = (share: number) => quantile(changes, share)
  const shown = [0.5, 0.9, 0.99, 1].map((share) => at(share).toFixed(0))
  say(`memory ${before.toFixed(0)} and ${after.toFixed(0)} MiB, changes ${shown.join(', ')} ms`)
  return [
    value({
      name: 'host-sync-load-memory',
      what: `memory of a syncer with ${PODS} pods in ${NAMESPACES} namespaces, after ${CHANGE_SECONDS} s of changes (working set)`,
      unit: 'MiB',
      of: 'after',
      target: 200,
      samples: { before: [before], after: [after] },
      notes: [`${before.toFixed(0)} MiB before the changes`],
    }),
    value({
      name: 'host-sync-load-changes',
      what: `the same: p99 of ${CHANGES_PER_SECOND} changes a second on the host, until a watch of the plane shows each`,
      unit: 'ms',
      of: 'p99',
      target: 1000,
      samples: { p99: [at(0.99)], changes },
      notes: [`${changes.length} changes: p50, p90, p99 and maximum ${shown.join(', ')} ms`],
    }),
  ]
}

/**
 * How long a plane is behind its host when its syncer's pod is deleted: until all of this is true of the new one. It has
 * compared each object of both sides once. None waits in its queues. A watch of the plane has shown the changes that were
 * made on the host after the deletion.
 */
async function measureRestart(load: Load, bench: Bench): Promise<Result> {
  const { host, paths, plane } = load
  const { rounds, workspace } = bench
  const { signal } = workspace
  const samples: number[] = []
  const comparisons: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const old = await syncerPod(host, plane)
    const startedAt = performance.now()
    await host.kubectl('delete', 'pod', '-n', plane.namespace, old, '--wait=false')
    const changed = paths.slice(-CHANGES_DURING_RESTART)
    const [, seconds] = await Promise.all([
      changeHostPods({ ...load, paths: changed, perSecond: Number.POSITIVE_INFINITY, signal }),
      waitFor(() => comparedBy(host, plane, old), {
        what: 'the comparison of a new syncer',
        timeoutMs: RESTART_TIMEOUT_MS,
        signal,
      }),
    ])
    const tookMs = performance.now() - startedAt
    samples.push(tookMs)
    comparisons.push(seconds)
    bench.say(`restart: ${(tookMs / 1000).toFixed(1)} s`)
  }
  return value({
    name: 'host-sync-load-restart',
    what: `the same: a new syncer after its pod was deleted, until both sides are equal`,
    unit: 'ms',
    of: 'restart',
    target: 10_000,
    samples: { restart: samples, comparisonSeconds: comparisons },
    notes: [
      `its first comparison of all objects took at most ${Math.max(...comparisons).toFixed(1)} s; ${CHANGES_DURING_RESTART} pods changed on the host meanwhile`,
    ],
  })
}

/** How long the first comparison of another syncer than the old one took, in seconds, once all its queues are empty. */
async function comparedBy(
  host: HostLab,
  plane: SyncedPlane,
  old: string,
): Promise<number | undefined> {
  const pod = await syncerPod(host, plane)
  const metrics = pod === old ? new Map<string, number>() : await metricsOf(host, plane)
  const waiting = [...metrics].filter(([name]) => name.startsWith('vplane_syncer_queue_depth'))
  const seconds = metrics.get('vplane_syncer_comparison_seconds') ?? 0
  return seconds > 0 && waiting.every(([, depth]) => depth === 0) ? seconds : undefined
}

async function metricsOf(host: HostLab, plane: SyncedPlane): Promise<Map<string, number>> {
  try {
    return await syncerMetrics(host, plane)
  } catch {
    // It does not listen yet.
    return new Map()
  }
}
