import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type { Sides } from './object-cache.ts'
import { keyOf, type ObjectKey } from '../scope/object-key.ts'
import { WorkQueue } from './work-queue.ts'

/** Makes both sides equal for one virtual object, or what is left of it. */
export type SyncOne = (key: ObjectKey, signal: AbortSignal) => Promise<void>

export interface SyncLoopOptions {
  /** Some kinds are looked at on one side alone. */
  sides: Partial<Sides>
  /** The key to work on for a host object; undefined when it is none of ours. */
  keyOfHost: (host: KubeObject) => ObjectKey | undefined
  /** For what has changed. */
  sync: SyncOne
  /** For what no change has told of. */
  check: SyncOne
  onError: (key: ObjectKey, error: unknown, failures: number) => void
  /** How many keys are worked on at a time. @default as many as a work queue does */
  workers?: number
}

/** Keeps the objects of one kind equal on both sides: those that change, and now and then all. */
export class SyncLoop {
  /** What it has done so far, by the names of metrics. */
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
  /** What is looked at though nothing has told of a change. */
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

  /** Whether all that a full comparison looks at has been looked at. */
  get isCompared(): boolean {
    return this.#checks.size === 0
  }

  /** Looks at an object that has changed, or that something has changed for. */
  add(key: ObjectKey): void {
    this.#checks.delete(key)
    this.#queue.add(key)
  }

  /** Looks at the virtual objects of which this is said. */
  addWhere(isConcerned: (virtual: KubeObject) => boolean): void {
    for (const object of this.#sides.virtual?.values() ?? []) {
      if (isConcerned(object)) {
        this.add(keyOf(object))
      }
    }
  }

  /** Looks at everything there is on both sides. */
  compareAll(): void {
    const { host, virtual } = this.#sides
    const hostKeys = [...(host?.values() ?? [])].map((object) => this.#keyOfHost(object))
    const keys = [...[...(virtual?.values() ?? [])].map(keyOf), ...hostKeys]
    for (const key of keys.filter((one) => one !== undefined)) {
      this.#checks.add(key)
      this.#queue.add(key)
    }
  }

  /** Works until the signal fires; what is being done then is brought to its end. */
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
