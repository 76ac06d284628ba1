import { setTimeout as delay } from 'node:timers/promises'
import type { LogRequest } from '../../../control-plane/driver/driver.ts'
import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { componentSelector, type PlacedName } from '../context/object-names.ts'
import { workloadPath } from '../observed/workloads.ts'
import { podLog, type PodLogOptions } from './pod-log.ts'
import { prefixed } from '../../../shared/text/prefixed.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { componentPods } from '../observed/ready-pod.ts'

/** How long to wait before an interrupted log is requested again, in milliseconds. */
const RETRY_MS = 1000

type LogApi = Pick<HostApi, 'get' | 'stream' | 'watch'>

/** Reads one pod after the other, or with `follow` all concurrently, including later ones. */
export async function* readLogs(
  api: Pick<HostApi, 'get' | 'list' | 'stream' | 'watch'>,
  { place, request }: { place: PlacedName; request: LogRequest },
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (request.follow) {
    yield* followLogs(api, { place, request }, signal)
    return
  }
  const { component, tail } = request
  const pods = await componentPods(api, { ...place, component }, signal)
  for (const pod of pods.toSorted(byCreation)) {
    const text = podLog(api, pod, { container: component, follow: false, tail, signal })
    yield* pods.length > 1 ? prefixed(text, `${pod.metadata.name}: `) : text
  }
}

function byCreation(left: KubeObject, right: KubeObject): number {
  const createdAt = ({ metadata }: KubeObject) => String(metadata['creationTimestamp'])
  return createdAt(left).localeCompare(createdAt(right))
}

/** Reads later pods from their beginning. Ends with the signal, or with the component. */
export async function* followLogs(
  api: LogApi,
  { place, request }: { place: PlacedName; request: LogRequest },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const channel = new Channel<string>()
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
  channel: Channel<string>
  request: LogRequest
  signal: AbortSignal
}

class FollowedLogs {
  readonly #options: FollowOptions
  readonly #reading = new Map<string, Promise<void>>()
  readonly #pods = new Set<string>()
  readonly #started = new Set<string>()

  constructor(options: FollowOptions) {
    this.#options = options
  }

  follow(pod: KubeObject): void {
    const { request } = this.#options
    const container = runningContainer(pod, request.component)
    if (container === undefined || this.#started.has(container)) {
      return
    }
    // A container that restarts in a known pod is read from its beginning.
    const tail = this.#pods.has(pod.metadata.uid ?? '') ? undefined : request.tail
    this.#started.add(container)
    this.#pods.add(pod.metadata.uid ?? '')
    const reading = this.#read(pod, tail).finally(() => this.#reading.delete(container))
    this.#reading.set(container, reading)
  }

  async ended(): Promise<void> {
    await Promise.all(this.#reading.values())
  }

  async #read(pod: KubeObject, tail: number | undefined): Promise<void> {
    const { api, request, signal } = this.#options
    const options = { container: request.component, follow: true, signal }
    let from: Pick<PodLogOptions, 'tail' | 'sinceSeconds'> = { tail }
    for (;;) {
      const startedAt = Date.now()
      try {
        await this.#copy(podLog(api, pod, { ...options, ...from }), pod)
        return
      } catch {
        if (signal.aborted) {
          return
        }
        // The stream broke, for example because the host's API server restarted. Some lines may appear twice.
        await delay(RETRY_MS, undefined, { signal }).catch(() => {})
        from = { sinceSeconds: Math.ceil((Date.now() - startedAt) / 1000) }
      }
    }
  }

  async #copy(text: AsyncIterable<string>, { metadata }: KubeObject): Promise<void> {
    const lines = this.#pods.size > 1 ? prefixed(text, `${metadata.name}: `) : text
    for await (const chunk of lines) {
      await this.#options.channel.put(chunk)
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

/** Undefined while no container runs. */
function runningContainer(pod: KubeObject, name: string): string | undefined {
  const statuses = recordsAt(pod, 'status', 'containerStatuses')
  const container = statuses.find((one) => one['name'] === name)
  const isRunning = recordAt(container, 'state', 'running') !== undefined
  return isRunning ? textAt(container, 'containerID') : undefined
}
