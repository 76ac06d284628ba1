import type { Leftover } from '../../../control-plane/driver/driver.ts'
import { isLeaving, type KubeObject } from '../../../shared/kube/kube-object.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { waitFor } from '../../../shared/wait.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlacedName, planeSelector } from '../context/object-names.ts'
import { type WakeUps, watchForWakeUps } from '../host/wake-ups.ts'
import { type FoundObject, planeInventory } from '../namespace/inventory.ts'
import { toLeftovers } from '../namespace/leftovers.ts'
import { removalSteps } from './removal-steps.ts'

export interface RemoveObjectsOptions {
  /** Paths of more collections that the plane has objects in. */
  collections: readonly string[]
  /** Whether the plane has, or may have had, a syncer. */
  isSynced: boolean
  /** What stays. @default nothing */
  isKept?: (found: FoundObject) => boolean
  /** Called after each look, before anything is deleted. */
  beforeStep: () => Promise<void>
  /** Called after each look, once what may go was told to. @default nothing */
  afterStep?: () => Promise<void>
  /** How long nothing may change before what is left is given up, in milliseconds. */
  patienceMs: number
  timeoutMs: number
  signal: AbortSignal
}

/**
 * How long a pod may take to end, in seconds: what it would still write is either lost on purpose or written already. 0
 * would forget it while it still runs.
 */
const QUICK_SECONDS = 1

/**
 * Deletes the objects of a plane in their order and looks until none is left, or nothing changes any more.
 *
 * @returns what is still there, and why.
 */
export async function removeObjects(
  api: HostApi,
  place: PlacedName,
  options: RemoveObjectsOptions,
): Promise<Leftover[]> {
  const { signal, timeoutMs } = options
  const selection = { labelSelector: planeSelector(place.name) }
  await using pods = watchForWakeUps(api, collectionPath('pods', place.namespace), selection)
  const removal = new Removal(api, place, options)
  return await waitFor((deadline) => removal.look(pods, deadline), {
    what: `the end of "${place.name}"`,
    timeoutMs,
    intervalMs: 25,
    signal,
  })
}

/** What was seen and tried so far. */
class Removal {
  readonly #api: HostApi
  readonly #place: PlacedName
  readonly #options: RemoveObjectsOptions
  readonly #tried = new Set<string>()
  readonly #refusals = new Map<string, VplaneError>()
  #before = ''
  #changedAt = Date.now()

  constructor(api: HostApi, place: PlacedName, options: RemoveObjectsOptions) {
    this.#api = api
    this.#place = place
    this.#options = options
  }

  /** Looks at what is left and deletes what may go now; what is left for good, once that is known. */
  async look(pods: WakeUps, signal: AbortSignal): Promise<Leftover[] | undefined> {
    const { collections, isKept = () => false, isSynced, patienceMs } = this.#options
    const found = await planeInventory(this.#api, this.#place, {
      collections,
      isSynced,
      signal,
    })
    const left = found.filter((one) => !isKept(one))
    const own = left.filter(({ isOwn }) => isOwn)
    const silentMs = this.#silence(own)
    if (own.length === 0 || silentMs > patienceMs) {
      return toLeftovers(
        left.filter((one) => this.#isLeftOver(one)),
        this.#refusals,
      )
    }
    const steps = [...removalSteps(this.#place, left), this.#hurried(own, silentMs)]
    if (steps.flat().length > 0) {
      await this.#options.beforeStep()
    }
    for (const step of steps) {
      await Promise.all(step.map((one) => this.#delete(one, silentMs)))
    }
    await this.#options.afterStep?.()
    if (this.#refusals.size > 0 || own.some(isPod)) {
      await pods.next(signal)
    }
    return undefined
  }

  /** What waits for others to go first is not left over by itself. */
  #isLeftOver(one: FoundObject): boolean {
    return !one.isOwn || isLeaving(one.object) || this.#tried.has(one.path)
  }

  /** How long nothing has changed, in milliseconds. */
  #silence(own: readonly FoundObject[]): number {
    const now = own.map((one) => `${one.path} ${isLeaving(one.object)}`).join('\n')
    if (now !== this.#before) {
      this.#before = now
      this.#changedAt = Date.now()
    }
    return Date.now() - this.#changedAt
  }

  /** Pods that others have deleted take their time, and one whose node is gone never says that it has ended. */
  #hurried(own: readonly FoundObject[], silentMs: number): FoundObject[] {
    const { patienceMs } = this.#options
    return own.filter((one) => {
      const graceSeconds = Number(one.object.metadata['deletionGracePeriodSeconds'] ?? 0)
      const isSlow = graceSeconds > QUICK_SECONDS || silentMs > patienceMs / 2
      return isPod(one) && isLeaving(one.object) && isSlow
    })
  }

  async #delete({ object, path }: FoundObject, silentMs: number): Promise<void> {
    const { patienceMs, signal } = this.#options
    const { uid } = object.metadata
    this.#tried.add(path)
    const graceSeconds = silentMs > patienceMs / 2 ? 0 : QUICK_SECONDS
    try {
      await this.#api.delete(path, {
        signal,
        propagation: leavesPods(object) ? 'Orphan' : 'Background',
        ...(uid === undefined ? {} : { uid }),
        ...(object.kind === 'Pod' ? { graceSeconds } : {}),
      })
      this.#refusals.delete(path)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof VplaneError) || error.code === 'UNREACHABLE') {
        throw error
      }
      // On a conflict another object has its name by now: the next look tells whether it is one of ours. A webhook may
      // refuse now what it allows in a moment.
      if (error.code !== 'CONFLICT') {
        this.#refusals.set(path, error)
      }
    }
  }
}

/**
 * What makes pods leaves them to us: the host would give them all the time that they may take, and kube-apiserver takes
 * it when etcd ends beside it. Not so etcd's StatefulSet: it would leave its ControllerRevisions too, which those who
 * have the ClusterRole `admin` may not delete.
 */
function leavesPods({ kind }: KubeObject): boolean {
  return ['Deployment', 'ReplicaSet'].includes(kind)
}

function isPod({ object }: FoundObject): boolean {
  return object.kind === 'Pod'
}
