import type { Leftover } from '../../../control-plane/driver/driver.ts'
import { isKeeperSettings } from '../../../manifests/keeper-settings.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { isLeaving, type KubeObject } from '../../../shared/kube/kube-object.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { waitFor } from '../../../shared/wait.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, planeSelector } from '../context/object-names.ts'
import { type WakeUps, watchForWakeUps } from '../host/wake-ups.ts'
import { type FoundObject, planeInventory } from '../namespace/inventory.ts'
import { recordPath } from '../record/record-store.ts'
import { toLeftovers } from '../namespace/leftovers.ts'

export interface RemoveObjectsOptions {
  /** Paths of additional collections with objects of the plane. */
  collections: readonly string[]
  isSynced: boolean
  /** @default all are deleted */
  isKept?: (found: FoundObject) => boolean
  /** Called with all objects, before any of them is deleted. */
  onFound?: (found: readonly FoundObject[]) => void
  beforeStep: () => Promise<void>
  /** Called after each step, even if it deletes nothing. */
  afterStep?: () => Promise<void>
  /** How long nothing may change before the deletion gives up, in milliseconds. */
  patienceMs: number
  /** How long it may take while objects still change, as thousands of pods do, in milliseconds. @default half an hour */
  timeoutMs?: number | undefined
  signal: AbortSignal
}

/**
 * The grace period of pods, in seconds: what they would still write is either deleted with the plane or written
 * already. With 0 the API would forget a pod that still runs.
 */
const QUICK_SECONDS = 1

const TIMEOUT_MS = 1_800_000

/** Deletes objects until none exists or nothing changes, and returns those that remain. */
export async function removeObjects(
  api: HostApi,
  place: PlacedName,
  options: RemoveObjectsOptions,
): Promise<Leftover[]> {
  const { signal, timeoutMs = TIMEOUT_MS } = options
  await using removal = new Removal(api, place, options)
  return await waitFor((deadline) => removal.step(deadline), {
    what: `the end of "${place.name}"`,
    timeoutMs,
    intervalMs: 25,
    signal,
  })
}

/** Workloads are deleted before pods, so that no new pods appear; pods follow, because they take the longest. */
const FIRST = [['Deployment', 'StatefulSet'], ['ReplicaSet'], ['Pod']]
/** What the host deletes itself with the object that it derived it from. */
const FOLLOWING = ['Endpoints', 'EndpointSlice']

/**
 * Returns the objects to delete now, in steps: workloads, pods, then the others. The endpoint follows when nothing else
 * exists, and the record is last, so that the plane is found until then.
 */
export function removalSteps(place: PlacedName, found: readonly FoundObject[]): FoundObject[][] {
  const own = found.filter(({ isOwn }) => isOwn)
  const record = own.filter(({ path }) => path === recordPath(place))
  const endpoint = own.filter((one) => isEndpoint(one, place) || isBehindEndpoint(one, place))
  const parts = own.filter((one) => !record.includes(one) && !endpoint.includes(one))
  if (parts.length > 0) {
    const first = FIRST.map((kinds) => parts.filter(({ object }) => kinds.includes(object.kind)))
    // The keeper of the namespace ends the duties of the plane when it has no settings.
    first[0]?.push(...parts.filter(({ object }) => isKeeperSettings(object)))
    return [...first, parts.filter((one) => !first.flat().includes(one))].map(deletable)
  }
  return [deletable(endpoint.length > 0 ? endpoint : record)]
}

function isEndpoint({ object, path }: FoundObject, { name }: PlacedName): boolean {
  return path.includes('/services/') && object.metadata.name === objectName(name, 'api')
}

function isBehindEndpoint({ object }: FoundObject, { name }: PlacedName): boolean {
  const endpoint = objectName(name, 'api')
  const { kind, metadata } = object
  return (
    (kind === 'Endpoints' && metadata.name === endpoint) ||
    (kind === 'EndpointSlice' && metadata.labels?.['kubernetes.io/service-name'] === endpoint)
  )
}

function deletable(objects: readonly FoundObject[]): FoundObject[] {
  return objects.filter((one) => !isLeaving(one.object) && !FOLLOWING.includes(one.object.kind))
}

/** Workloads, and what they create objects for. */
const WORKING = new Set(FIRST.flat())

class Removal implements AsyncDisposable {
  readonly #api: HostApi
  readonly #place: PlacedName
  readonly #options: RemoveObjectsOptions
  readonly #tried = new Set<string>()
  readonly #refusals = new Map<string, VplaneError>()
  /** Where objects may be left; undefined when that may be everywhere. */
  #within: ReadonlySet<string> | undefined
  #pods: WakeUps | undefined
  #before = ''
  #changedAt = Date.now()

  constructor(api: HostApi, place: PlacedName, options: RemoveObjectsOptions) {
    this.#api = api
    this.#place = place
    this.#options = options
  }

  /** Deletes the next objects; returns the leftovers when it is done or gives up. */
  async step(signal: AbortSignal): Promise<Leftover[] | undefined> {
    const { collections, isKept = () => false, isSynced, patienceMs } = this.#options
    const options = { collections, isSynced, within: this.#within, signal }
    const found = await planeInventory(this.#api, this.#place, options)
    this.#options.onFound?.(found)
    this.#within = this.#placesOf(found)
    const left = found.filter((one) => !isKept(one))
    const own = left.filter(({ isOwn }) => isOwn)
    const silentMs = this.#silence(own)
    if (own.length === 0 || silentMs > patienceMs) {
      // An object whose turn has not come is no leftover.
      const leftovers = left.filter(
        (one) => !one.isOwn || isLeaving(one.object) || this.#tried.has(one.path),
      )
      return toLeftovers(leftovers, this.#refusals)
    }
    const hasPods = own.some(isPod)
    if (hasPods) {
      this.#podsWatched()
    }
    const steps = [...removalSteps(this.#place, left), this.#hurried(own, silentMs)]
    if (steps.flat().length > 0) {
      await this.#options.beforeStep()
    }
    for (const step of steps) {
      await Promise.all(step.map((one) => this.#delete(one, { hasPods, silentMs })))
    }
    await this.#options.afterStep?.()
    if (this.#refusals.size > 0 || hasPods) {
      await this.#podsWatched().next(signal)
    }
    return undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pods?.[Symbol.asyncDispose]()
  }

  /** A plane that does not run has none to watch. */
  #podsWatched(): WakeUps {
    const { name, namespace } = this.#place
    const selection = { labelSelector: planeSelector(name) }
    this.#pods ??= watchForWakeUps(this.#api, collectionPath('pods', namespace), selection)
    return this.#pods
  }

  /** Once no workload is left, nothing creates objects except pods that come late. */
  #placesOf(found: readonly FoundObject[]): ReadonlySet<string> | undefined {
    return found.some(({ object }) => WORKING.has(object.kind))
      ? undefined
      : new Set([
          collectionPath('pods', this.#place.namespace),
          ...found.map(({ path }) => path.slice(0, path.lastIndexOf('/'))),
        ])
  }

  /** Returns how long nothing has changed, in milliseconds. */
  #silence(own: readonly FoundObject[]): number {
    const now = own.map((one) => `${one.path} ${isLeaving(one.object)}`).join('\n')
    if (now !== this.#before) {
      this.#before = now
      this.#changedAt = Date.now()
    }
    return Date.now() - this.#changedAt
  }

  /** Pods with a long grace period, or on a node that reports no end, are deleted again. */
  #hurried(own: readonly FoundObject[], silentMs: number): FoundObject[] {
    const { patienceMs } = this.#options
    return own.filter((one) => {
      const graceSeconds = Number(one.object.metadata['deletionGracePeriodSeconds'] ?? 0)
      const isSlow = graceSeconds > QUICK_SECONDS || silentMs > patienceMs / 2
      return isPod(one) && isLeaving(one.object) && isSlow
    })
  }

  async #delete(
    { object, path }: FoundObject,
    { hasPods, silentMs }: { hasPods: boolean; silentMs: number },
  ): Promise<void> {
    const { patienceMs, signal } = this.#options
    this.#tried.add(path)
    const graceSeconds = silentMs > patienceMs / 2 ? 0 : QUICK_SECONDS
    try {
      await this.#api.delete(path, {
        signal,
        propagation: hasPods && leavesPods(object) ? 'Orphan' : 'Background',
        uid: object.metadata.uid,
        graceSeconds: object.kind === 'Pod' ? graceSeconds : undefined,
      })
      this.#refusals.delete(path)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof VplaneError) || error.code === 'UNREACHABLE') {
        throw error
      }
      // On a conflict another object has this name now: the next step checks whether it belongs to the plane. A webhook
      // may allow later what it refuses now.
      if (error.code !== 'CONFLICT') {
        this.#refusals.set(path, error)
      }
    }
  }
}

/**
 * The host would grant the pods of a workload the whole grace period, which kube-apiserver needs when etcd ends at the
 * same time. Without pods the host has less to do when it deletes what the workload owns. etcd's StatefulSet would orphan
 * its ControllerRevisions too, which the ClusterRole `admin` may not delete.
 */
function leavesPods({ kind }: KubeObject): boolean {
  return ['Deployment', 'ReplicaSet'].includes(kind)
}

function isPod({ object }: FoundObject): boolean {
  return object.kind === 'Pod'
}
