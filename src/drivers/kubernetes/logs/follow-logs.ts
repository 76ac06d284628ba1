import { setTimeout as delay } from 'node:timers/promises'
import type { LogLines, LogRequest } from '../../../control-plane/driver/driver.ts'
import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { componentSelector, type PlacedName } from '../context/object-names.ts'
import { workloadPath } from '../observed/workloads.ts'
import { podLog, type PodLogOptions } from './pod-log.ts'
import { wholeLines } from '../../../shared/text/whole-lines.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** How long to wait before an interrupted log is requested again, in milliseconds. */
const RETRY_MS = 1000

type LogApi = Pick<HostApi, 'get' | 'stream' | 'watch'>

/**
 * Follows the logs of all pods of a component, those of later pods and containers from their beginning. Ends when the
 * signal fires or the component is deleted.
 */
export async function* followLogs(
  api: LogApi,
  { place, request }: { place: PlacedName; request: LogRequest },
  signal: AbortSignal,
): AsyncGenerator<LogLines> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const channel = new Channel<LogLines>()
  let failure: unknown
  const following = new FollowedLogs({ api, channel, request, signal: either })
  const watching = watchPods(api, { place, component: request.component, following }, either)
    .then(() => following.ended())
    .catch((error: unknown) => {
      failure = either.aborted ? undefined : error
    })
    .finally(() => channel.close())
  const close = () => channel.close()
  either.addEventListener('abort', close)
  try {
    yield* channel.read()
  } finally {
    stop.abort()
    await watching
    await following.ended()
  }
  if (failure !== undefined) {
    throw failure
  }
}

async function watchPods(
  api: LogApi,
  {
    component,
    following,
    place,
  }: { component: AnyComponentName; following: FollowedLogs; place: PlacedName },
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = componentSelector(place.name, component)
  const path = collectionPath('pods', place.namespace)
  for await (const { object, type } of api.watch(path, { labelSelector, signal })) {
    if (type !== 'DELETED') {
      following.follow(object)
    } else if ((await api.get(workloadPath(place, component), { signal })) === undefined) {
      return
    }
  }
}

interface FollowOptions {
  api: LogApi
  channel: Channel<LogLines>
  request: LogRequest
  signal: AbortSignal
}

/** The containers whose logs are being read. */
class FollowedLogs {
  readonly #options: FollowOptions
  readonly #reading = new Map<string, Promise<void>>()
  readonly #pods = new Set<string>()
  readonly #started = new Set<string>()

  constructor(options: FollowOptions) {
    this.#options = options
  }

  /** Starts to read the log of a pod's container, once for each container. */
  follow(pod: KubeObject): void {
    const { request } = this.#options
    const container = runningContainer(pod, request.component)
    if (container === undefined || this.#started.has(container)) {
      return
    }
    // A container that restarts in a known pod is read from its beginning.
    const { sinceMs, tail } = this.#pods.has(pod.metadata.uid ?? '') ? {} : request
    this.#started.add(container)
    this.#pods.add(pod.metadata.uid ?? '')
    const reading = this.#read(pod, { sinceMs, tail }).finally(() =>
      this.#reading.delete(container),
    )
    this.#reading.set(container, reading)
  }

  async ended(): Promise<void> {
    await Promise.all(this.#reading.values())
  }

  async #read(pod: KubeObject, first: Pick<PodLogOptions, 'sinceMs' | 'tail'>): Promise<void> {
    const { api, channel, request, signal } = this.#options
    const options = { container: request.component, follow: true, signal }
    let from = first
    let hasBegun = false
    for (;;) {
      const startedAt = Date.now()
      try {
        for await (const text of wholeLines(podLog(api, pod, { ...options, ...from }))) {
          hasBegun = true
          const isOneOfSeveral = this.#pods.size > 1
          await channel.put({ text, pod: pod.metadata.name ?? '', isOneOfSeveral })
        }
        return
      } catch {
        if (signal.aborted) {
          return
        }
        // The stream broke, for example because the host's API server restarted. Some lines may appear twice.
        await delay(RETRY_MS, undefined, { signal }).catch(() => {})
        from = hasBegun ? { sinceMs: Date.now() - startedAt } : first
      }
    }
  }
}

/** Passes values from many writers to one reader; a writer waits until its value is read. */
export class Channel<T> {
  readonly #values: Array<{ value: T; taken: () => void }> = []
  #wake = Promise.withResolvers<void>()
  #isClosed = false

  /** Resolves when the value is read, or the channel is closed. */
  async put(value: T): Promise<void> {
    if (this.#isClosed) {
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#values.push({ value, taken: resolve })
    this.#wake.resolve()
    await promise
  }

  /** Ends the reader, and drops values that were not read. */
  close(): void {
    this.#isClosed = true
    for (const { taken } of this.#values.splice(0)) {
      taken()
    }
    this.#wake.resolve()
  }

  /** Yields the values in their order, until the channel is closed. */
  async *read(): AsyncGenerator<T> {
    while (!this.#isClosed) {
      const next = this.#values.shift()
      if (next === undefined) {
        await this.#wake.promise
        this.#wake = Promise.withResolvers<void>()
      } else {
        next.taken()
        yield next.value
      }
    }
  }
}

/** Returns the id of the container that runs in a pod; undefined while none does. */
function runningContainer(pod: KubeObject, name: string): string | undefined {
  const statuses = recordsAt(pod, 'status', 'containerStatuses')
  const container = statuses.find((one) => one['name'] === name)
  const isRunning = recordAt(container, 'state', 'running') !== undefined
  return isRunning ? textAt(container, 'containerID') : undefined
}
