import { ObjectCache } from '../kube/cache/object-cache.ts'
import { keyOf, type ObjectKey } from '../kube/cache/object-key.ts'
import { WorkQueue } from '../kube/cache/work-queue.ts'
import type { KubeClient } from '../kube/client/client.ts'
import { collectionPath } from '../shared/kube/collections.ts'
import { messageOf } from '../shared/errors.ts'
import type { KubeObject } from '../shared/kube/kube-object.ts'
import { FirstPass } from './first-pass.ts'
import {
  type Memory,
  reconcileControlPlane,
  type ReconcileDependencies,
} from './reconcile-control-plane.ts'
import { Turns } from '../shared/concurrency/turns.ts'

export interface OperatorOptions extends Omit<ReconcileDependencies, 'host'> {
  host: KubeClient
  /** @default ControlPlanes of all namespaces */
  namespace?: string | undefined
  log: (line: string) => void
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

/** A paused plane changes only by its ControlPlane or by a command. */
const PAUSED_FACTOR = 6

/** How soon a plane that starts is looked at again, in milliseconds. */
const STARTING_MS = 1000

/** How many planes may be worked on, of which all but a few wait for something. */
const WORKERS = 50

/** How many planes are begun at once, and for how long one counts. */
const TURNS = { atOnce: 4, longMs: 15_000 }

function nextCheckMs({ isWaiting = false, phase, plane }: Memory, checkMs: number): number {
  if (plane?.desired === 'paused' && phase === 'Paused') {
    return checkMs * PAUSED_FACTOR
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
  const { beside, checkMs = 10_000, host, log, namespace, retryMs = checkMs } = options
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
    queue.addIn(key, nextCheckMs(memory, checkMs))
  }
  const queue = new WorkQueue<ObjectKey>({
    work: (key, stop) => reconcile(key, stop).finally(() => firstPass.note(key)),
    onError: (key, error) => log(`${key}: ${messageOf(error)}`),
    workers: WORKERS,
    retryMs,
    // The status of a plane says what prevented the last try, so that has to be recent.
    maxRetryMs: retryMs * 2,
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
    }
  })
  resources.listed.then(
    () => firstPass.expect([...resources.values()].map((resource) => keyOf(resource))),
    () => {},
  )
  await Promise.all([
    resources.run(signal).catch((error: unknown) => {
      if (!signal.aborted) {
        throw error
      }
    }),
    queue.run(signal),
    resources.listed.then(
      () => beside?.({ memories, checkNow: (key) => queue.add(key) }, signal),
      () => {},
    ),
  ])
}
