import { ObjectCache } from '../kube/cache/object-cache.ts'
import { keyOf, type ObjectKey } from '../kube/cache/object-key.ts'
import { WorkQueue } from '../kube/cache/work-queue.ts'
import type { KubeClient } from '../kube/client/client.ts'
import { collectionPath } from '../shared/kube/collections.ts'
import { messageOf } from '../shared/errors.ts'
import type { KubeObject } from '../shared/kube/kube-object.ts'
import { FirstPass } from './first-pass.ts'
import { COMPARE_MS } from './plane/is-settled.ts'
import {
  findOwn,
  type Memory,
  reconcileControlPlane,
  type ReconcileDependencies,
} from './reconcile-control-plane.ts'
import type { PlaneObjects } from './seen/plane-objects.ts'
import { Turns } from '../shared/concurrency/turns.ts'

export interface OperatorOptions extends Omit<ReconcileDependencies, 'host'> {
  host: KubeClient
  /** @default ControlPlanes of all namespaces */
  namespace?: string | undefined
  log: (line: string) => void
  /** Tells of changes of planes on the host. @default looks find them */
  objects?: Pick<PlaneObjects, 'listed' | 'onChange' | 'run'>
  /** How often a plane is looked at without a change of its ControlPlane, in milliseconds. @default 10_000 */
  checkMs?: number
  /** How long a plane that is not as wanted waits for the next try, in milliseconds; twice as long after that. */
  retryMs?: number
  /** Works beside, once all ControlPlanes are known. @default nothing */
  beside?: (known: KnownPlanes, signal: AbortSignal) => Promise<void>
}

export interface KnownPlanes {
  /** What the operator knows about each ControlPlane. */
  memories: ReadonlyMap<ObjectKey, Memory>
  /** Has the operator check a ControlPlane at once. */
  checkNow: (key: ObjectKey) => void
}

/** A paused plane changes only by its ControlPlane or by a command, which watches may show. */
const PAUSED_FACTOR = { watched: 60, unwatched: 6 }

/** How long what was changed on the host has to become known completely, in milliseconds: it is several objects. */
const SEEN_MS = 300

const CHECK_MS = 10_000

/** How soon a plane that starts is looked at again, in milliseconds. */
const STARTING_MS = 1000

/** How many planes may be worked on, of which all but a few wait for something. */
const WORKERS = 50

/** How many planes are begun at once, and for how long one counts. */
const TURNS = { atOnce: 4, longMs: 15_000 }

function nextCheckMs(
  { isWaiting = false, phase, plane, settled }: Memory,
  { checkMs = CHECK_MS, now, objects }: Pick<OperatorOptions, 'checkMs' | 'now' | 'objects'>,
): number {
  if (plane?.desired === 'paused' && phase === 'Paused' && settled !== undefined) {
    const pausedMs = checkMs * PAUSED_FACTOR[objects === undefined ? 'unwatched' : 'watched']
    const untilComparedMs = settled.at.getTime() + COMPARE_MS - now().getTime()
    return untilComparedMs > 0 ? Math.min(pausedMs, untilComparedMs) : pausedMs
  }
  return isWaiting || phase === 'Starting' || phase === 'Creating'
    ? Math.min(STARTING_MS, checkMs)
    : checkMs
}

/** What of a ControlPlane the operator acts on, as a text. */
function wantedOf({ metadata }: KubeObject): string {
  const { deletionTimestamp, finalizers, generation, uid } = metadata
  return JSON.stringify([uid, generation, finalizers, deletionTimestamp])
}

/** Makes planes as ControlPlanes say, several at a time, until the signal fires. */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const { beside, checkMs = CHECK_MS, host, log, namespace, objects, retryMs = checkMs } = options
  const resources = new ObjectCache(host, collectionPath('controlplanes', namespace))
  const memories = new Map<ObjectKey, Memory>()
  const turns = new Turns(TURNS)
  const firstPass = new FirstPass((count) => log(`has seen the planes of ${count} ControlPlanes`))
  const reconcile = async (key: ObjectKey, stop: AbortSignal) => {
    using _turn = await turns.take()
    const resource = resources.get(key)
    if (resource === undefined) {
      memories.delete(key)
      return
    }
    const memory = memories.get(key) ?? {}
    memories.set(key, memory)
    await reconcileControlPlane(options, { resource, memory }, stop)
    queue.addIn(key, nextCheckMs(memory, options))
  }
  const queue = new WorkQueue<ObjectKey>({
    work: (key, stop) => reconcile(key, stop).finally(() => firstPass.note(key)),
    onError: (key, error) => log(`${key}: ${messageOf(error)}`),
    workers: WORKERS,
    retryMs,
    // The status of a plane says what prevented the last try, so that has to be recent.
    maxRetryMs: retryMs * 2,
  })
  const awaited = new Set<ObjectKey>()
  /** Duties depend on what was recorded; they do not wait for a turn. */
  const takeOver = async (key: ObjectKey) => {
    if (objects === undefined || awaited.has(key)) {
      return
    }
    awaited.add(key)
    // `run` says why they cannot be listed.
    await objects.listed().catch(() => {})
    awaited.delete(key)
    const [memory, resource] = [memories.get(key), resources.get(key)]
    if (options.seen !== undefined && memory !== undefined && resource !== undefined) {
      memory.plane = await findOwn(options.seen, resource, signal).catch(() => memory.plane)
    }
  }
  objects?.onChange((key, resource) => {
    if (resource === 'secrets') {
      void takeOver(key)
    }
    // What the operator changes itself leads to no other try, and to no earlier one after a failure.
    if (memories.get(key)?.settled !== undefined && !queue.hasFailed(key)) {
      queue.addIn(key, SEEN_MS)
    }
  })
  resources.onChange((resource, isGone) => {
    const key = keyOf(resource)
    const wanted = wantedOf(resource)
    // What the operator has written itself, such as a status, leads to no other try.
    const memory = memories.get(key) ?? {}
    if (isGone || memory.wanted !== wanted) {
      memory.wanted = wanted
      memories.set(key, memory)
      queue.add(key)
      void takeOver(key)
    }
  })
  resources.listed.then(
    () => firstPass.expect([...resources.values()].map((resource) => keyOf(resource))),
    () => {},
  )
  await Promise.all([
    ...[resources, ...(objects === undefined ? [] : [objects])].map((watched) =>
      watched.run(signal).catch((error: unknown) => {
        if (!signal.aborted) {
          throw error
        }
      }),
    ),
    queue.run(signal),
    resources.listed.then(
      () => beside?.({ memories, checkNow: (key) => queue.add(key) }, signal),
      () => {},
    ),
  ])
}
