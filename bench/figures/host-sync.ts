import { setTimeout as delay } from 'node:timers/promises'
import { AGNHOST_IMAGE } from '../../test/lab/images/lab-images.ts'
import { alternate } from '../alternate.ts'
import { difference, value } from '../compare.ts'
import type { Bench, Figure, Result } from '../figure.ts'
import { createPlane, formatPhases, type Phases } from '../host/host-create-plane.ts'
import type { HostLab } from '../host/host-lab.ts'
import { type PodMemory, podMemory, sumOf } from '../host/host-pod-memory.ts'
import { makeSyncedPlane, type SyncedPlane } from '../host/host-synced-plane.ts'
import { formatParts } from '../process-parts.ts'
import { REST_MS } from './memory.ts'

const NAME = 'bench-sync'

/** What a plane that runs pods costs: to make it, to start a pod in it, and its memory. */
export const hostSyncFigure: Figure = {
  name: 'host-sync',
  async measure(bench) {
    const host = await bench.host()
    if (host === undefined) {
      return []
    }
    return [
      await measureCreate(host, bench),
      await measurePod(host, bench),
      ...(await measureMemory(host, bench)),
    ]
  },
}

async function measureCreate(host: HostLab, { rounds }: Bench): Promise<Result> {
  const phases: Phases = new Map()
  const flags = ['--ephemeral', '--sync']
  const samples = await alternate(rounds, {
    create: () => createPlane(host, { namespace: NAME, flags, phases }),
  })
  return value({
    name: 'host-sync-create',
    what: '`vplane create --sync`, then `connect -- kubectl get sa default`',
    unit: 'ms',
    of: 'create',
    target: 9000,
    samples,
    notes: [`time of each step: ${formatPhases(phases)}`],
  })
}

async function measurePod(host: HostLab, { rounds }: Bench): Promise<Result> {
  await using plane = await makeSyncedPlane(host, NAME)
  await using namespace = await host.namespace(`${NAME}-host`)
  const inNamespace = (...args: string[]) => host.kubectl('--namespace', namespace.name, ...args)
  const measures = {
    plane: () => startPod(plane.kubectl),
    host: () => startPod(inNamespace),
  }
  // The first one makes the node, and kubectl keeps what it discovers of a server.
  await alternate(1, measures)
  const samples = await alternate(rounds, measures)
  return difference({
    name: 'host-sync-pod',
    what: '`kubectl run` in a plane, until the pod is ready',
    unit: 'ms',
    of: 'plane',
    to: { samples: 'host', what: 'the same pod on the host' },
    target: 500,
    goal: 200,
    samples,
  })
}

/** How long a pod takes that does nothing, in milliseconds. */
async function startPod(kubectl: SyncedPlane['kubectl']): Promise<number> {
  const { ms: runMs } = await kubectl('run', 'one', `--image=${AGNHOST_IMAGE}`, '--', 'pause')
  const ready = ['--for=condition=Ready', '--timeout=60s']
  const { ms: waitMs } = await kubectl('wait', 'pod/one', ...ready)
  await kubectl('delete', 'pod', 'one', '--grace-period=1', '--wait')
  return runMs + waitMs
}

async function measureMemory(host: HostLab, { rounds, workspace }: Bench): Promise<Result[]> {
  const planes: PodMemory[][] = []
  for (let round = 0; round < rounds; round += 1) {
    await using plane = await makeSyncedPlane(host, NAME)
    await delay(REST_MS, undefined, { signal: workspace.signal })
    planes.push(await podMemory(host, plane))
  }
  const syncers = planes.flat().filter(({ component }) => component === 'syncer')
  const samples = {
    syncer: syncers.map(({ containers }) => containers['syncer'] ?? Number.NaN),
    dns: syncers.map(({ containers }) => containers['dns'] ?? Number.NaN),
    plane: planes.map((pods) => sumOf(pods, ({ workingSet }) => workingSet)),
    pss: planes.map((pods) => sumOf(pods, ({ total }) => total ?? Number.NaN)),
  }
  return [
    value({
      name: 'host-sync-memory',
      what: 'memory of an idle syncer (working set)',
      unit: 'MiB',
      of: 'syncer',
      target: 90,
      goal: 70,
      samples,
    }),
    value({
      name: 'host-sync-memory-plane',
      what: 'memory of all pods of such a plane, with syncer and DNS server (working set)',
      unit: 'MiB',
      of: 'plane',
      // 0.8 of the working set of vcluster, 350 MiB with its CoreDNS: docs/comparison.md
      target: 280,
      samples,
    }),
    // Only where the pods are processes of this machine.
    ...(samples.pss.some(Number.isNaN)
      ? []
      : [
          value({
            name: 'host-sync-memory-pss',
            what: 'the same (PSS)',
            unit: 'MiB',
            of: 'pss',
            samples,
            notes: [formatParts(planes.map((pods) => pods.flatMap(({ processes }) => processes)))],
          }),
        ]),
  ]
}
