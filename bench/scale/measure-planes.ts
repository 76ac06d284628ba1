import { basename, dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { leftProcesses } from '../../scripts/test/leftovers.ts'
import type { Bench } from '../figure.ts'
import { wakePlanes, workByTurns } from './awake-planes.ts'
import { type KeeperUsage, keeperUsage } from './keeper-usage.ts'
import { timesOf } from './times-of.ts'
import { listenedOn, pathsIn, portsOf, spaceOf } from './stored-planes.ts'

const LABEL = 'bench=scale'
/** How long the keeper may take to listen for all planes, and to end once there are none, in milliseconds. */
const KEEPER_MS = 300_000
const POLL_MS = 100

export interface MeasuredPlanes extends WatchedPlanes {
  /** Of each plane, in milliseconds. */
  createMs: number
  /** After the create, until the keeper listens on the ports of all planes. */
  listenMs: number
  /** Of each plane, in KiB. */
  space: number
  selectedMs: number[]
  describeMs: number[]
  /** Of each plane, in milliseconds. */
  deleteMs: number
  /** Ports that are listened on, files and processes, after all planes were deleted. */
  left: string[]
  awake: (WatchedPlanes & { requestMs: number[]; failures: number }) | undefined
}

interface WatchedPlanes {
  listMs: number[]
  /** At the end of the time. */
  keeper: KeeperUsage
  /** Processor time of the keeper in each minute, in milliseconds. */
  cpuMs: number
}

/**
 * Creates paused planes that any client wakes, looks at them, leaves them alone for a time, and deletes them. Some of
 * them are started before, and used for the same time.
 */
export async function measurePlanes(
  bench: Bench,
  { awake, count, minutes }: { count: number; awake: number; minutes: number },
): Promise<MeasuredPlanes> {
  const { workspace } = bench
  const { planes, signal } = workspace
  const root = dirname(planes)
  const before = new Set(pathsIn(root))
  const options = ['--paused', '--idle', '30m', '--label', LABEL, '--no-connect', '--timeout', '2h']
  const created = await workspace.vplane('create', 'scale', '--count', String(count), ...options)
  const ports = await portsOf(root)
  const listenMs = await untilListening(ports.apis, signal)
  const space = spaceOf(planes) / count
  const selectedMs = await timesOf(() => workspace.vplane('list', '-l', LABEL))
  const describeMs = await timesOf(() => workspace.vplane('describe', 'scale-1'))
  const listMs = await timesOf(() => workspace.vplane('list'))
  const rest = () => delay(minutes * 60_000, undefined, { signal })
  const { keeper, cpuMs } = await watchKeeper(root, rest)
  const used = awake === 0 ? undefined : await useSome(bench, awake)
  const deleted = await workspace.vplane('delete', '-l', LABEL, '--yes')
  const traces = { marker: basename(workspace.folder), root: workspace.folder }
  const own = new Set([process.pid])
  const processes = await leftProcesses({ ...traces, before: own }, KEEPER_MS)
  return {
    createMs: created.ms / count,
    listenMs,
    space,
    selectedMs,
    describeMs,
    listMs,
    keeper,
    cpuMs,
    awake: used,
    deleteMs: deleted.ms / count,
    left: [
      ...processes.map(({ command }) => command),
      ...listenedOn(ports.all).map((port) => `port ${port}`),
      ...pathsIn(root).filter((path) => !before.has(path)),
    ],
  }
}

/** Starts planes, and uses them by turns. */
async function useSome({ minutes, workspace }: Bench, count: number) {
  const { planes, signal } = workspace
  const names = Array.from({ length: count }, (_, index) => `scale-${index + 1}`)
  const accesses = await wakePlanes(workspace, names)
  const listMs = await timesOf(() => workspace.vplane('list'))
  const { work, ...watched } = await watchKeeper(dirname(planes), () =>
    workByTurns(accesses, { minutes, signal }),
  )
  return { ...watched, listMs, requestMs: work.times, failures: work.failures }
}

/** What the keeper uses while something is done. */
async function watchKeeper<Work>(
  root: string,
  action: () => Promise<Work>,
): Promise<Pick<WatchedPlanes, 'keeper' | 'cpuMs'> & { work: Work }> {
  const before = keeperUsage(root)
  const begunAt = performance.now()
  const work = await action()
  const minutes = (performance.now() - begunAt) / 60_000
  const keeper = keeperUsage(root)
  return { keeper, cpuMs: (keeper.cpuMs - before.cpuMs) / minutes, work }
}

async function untilListening(ports: readonly number[], signal: AbortSignal): Promise<number> {
  const begunAt = performance.now()
  while (listenedOn(ports).length < ports.length) {
    if (performance.now() - begunAt > KEEPER_MS) {
      throw new Error('the keeper does not listen for all planes')
    }
    await delay(POLL_MS, undefined, { signal })
  }
  return performance.now() - begunAt
}
