import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { Sides } from './sides.ts'
import { keyOf, type ObjectKey } from '../../kube/cache/object-key.ts'
import { WorkQueue } from '../../kube/cache/work-queue.ts'

/** Makes both sides equal for one virtual object, which may be deleted already. */
export type SyncOne = (key: ObjectKey, signal: AbortSignal) => Promise<void>

export interface SyncLoopOptions {
  /** The caches of the kind; some kinds have one side only. */
  sides: Partial<Sides>
  /** The key of the virtual object of a host object; undefined when that does not belong to the plane. */
  keyOfHost: (host: KubeObject) => ObjectKey | undefined
  sync: SyncOne
  /** Syncs an object in a comparison, without a known change. */
  check: SyncOne
  onError: (key: ObjectKey, error: unknown, failures: number) => void
  /** How many keys are worked on at the same time. @default that of `WorkQueue` */
  workers?: number
}

/** How long work that is not urgent waits for other objects, in milliseconds. */
const PUT_OFF_MS = 1000

/** Syncs the objects of one kind: each after a change, and all of them in a comparison. */
export class SyncLoop {
  /** What the loop has done since the start, by the names of metrics. */
  readonly counts = {
    errors_total: 0,
    lag_seconds_count: 0,
    lag_seconds_sum: 0,
    reconcile_seconds_count: 0,
    reconcile_seconds_sum: 0,
  }
  readonly #sides: Partial<Sides>
  readonly #keyOfHost: SyncLoopOptions['keyOfHost']
  readonly #queue: WorkQueue<ObjectKey>
  readonly #checks = new Set<ObjectKey>()

  constructor({ check, keyOfHost, onError, sides, sync, ...queue }: SyncLoopOptions) {
    this.#sides = sides
    this.#keyOfHost = keyOfHost
    this.#queue = new WorkQueue<ObjectKey>({
      ...queue,
      work: async (key, signal) => {
        try {
          await (this.#checks.has(key) ? check : sync)(key, signal)
        } finally {
          this.#checks.delete(key)
        }
      },
      onError: (key, error, failures) => {
        this.counts.errors_total += 1
        onError(key, error, failures)
      },
      onDone: ({ tookMs, waitedMs }) => {
        this.counts.lag_seconds_count += 1
        this.counts.lag_seconds_sum += waitedMs / 1000
        this.counts.reconcile_seconds_count += 1
        this.counts.reconcile_seconds_sum += tookMs / 1000
      },
    })
    sides.virtual?.onChange((object) => this.add(keyOf(object)))
    sides.host?.onChange((object) => this.#addHost(object))
  }

  get depth(): number {
    return this.#queue.depth
  }

  get isCompared(): boolean {
    return this.#checks.size === 0
  }

  /** Syncs an object soon, because it or something that it depends on has changed. */
  add(key: ObjectKey): void {
    this.#checks.delete(key)
    this.#queue.add(key)
  }

  /**
   * For the sync of an object, about a part of its work that is not urgent: returns whether it may be left out, because
   * others wait. Then the object is synced again soon.
   */
  putOff(key: ObjectKey): boolean {
    const { isBusy } = this.#queue
    if (isBusy) {
      this.#queue.addIn(key, PUT_OFF_MS)
    }
    return isBusy
  }

  addWhere(isConcerned: (virtual: KubeObject) => boolean): void {
    for (const object of this.#sides.virtual?.values() ?? []) {
      if (isConcerned(object)) {
        this.add(keyOf(object))
      }
    }
  }

  /** Compares all objects of both sides that are not synced anyway; changes come first. */
  compareAll(): void {
    const { host, virtual } = this.#sides
    const hostKeys = [...(host?.values() ?? [])].map((object) => this.#keyOfHost(object))
    const keys = [...[...(virtual?.values() ?? [])].map(keyOf), ...hostKeys]
    for (const key of keys.filter((one) => one !== undefined)) {
      if (this.#queue.addLater(key)) {
        this.#checks.add(key)
      }
    }
  }

  /** Works until the signal fires, and finishes the keys that it is working on then. */
  run(signal: AbortSignal): Promise<void> {
    return this.#queue.run(signal)
  }

  #addHost(object: KubeObject): void {
    const key = this.#keyOfHost(object)
    if (key !== undefined) {
      this.add(key)
    }
  }
}
