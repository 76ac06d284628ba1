import { setTimeout as delay } from 'node:timers/promises'
import type { LogRequest } from '../../../control-plane/driver/driver.ts'
import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import { recordAt, recordsAt, textAt } from '../../../shared/json-fields.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { componentSelector, type PlacedName } from '../context/object-names.ts'
import { workloadPath } from '../observed/workloads.ts'
import { Channel } from './channel.ts'
import { podLog, type PodLogOptions } from './pod-log.ts'
import { prefixed } from '../../../shared/text/prefixed.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** How long to wait before a log that broke off is asked for again, in milliseconds. */
const RETRY_MS = 1000

type LogApi = Pick<HostApi, 'get' | 'stream' | 'watch'>

/**
 * The logs of all pods of a component as they are written, those of pods and containers that come later from their
 * beginning. Ends when the signal fires or the component is gone.
 */
export async function* followLogs(
  api: LogApi,
  { place, request }: { place: PlacedName; request: LogRequest },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const channel = new Channel<string>()
  let failure: unknown
  const following = new Following({ api, channel, request, signal: either })
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
  }: { component: AnyComponentName; following: Following; place: PlacedName },
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = componentSelector(place.name, component)
  const path = collectionPath('pods', place.namespace)
  for await (const { object, type } of api.watch(path, { labelSelector, signal })) {
    if (type !== 'DELETED') {
      following.see(object)
    } else if ((await api.get(workloadPath(place, component), { signal })) === undefined) {
      return
    }
  }
}

interface FollowingOptions {
  api: LogApi
  channel: Channel<string>
  request: LogRequest
  signal: AbortSignal
}

/** The containers whose logs are being read. */
class Following {
  readonly #options: FollowingOptions
  readonly #reading = new Map<string, Promise<void>>()
  readonly #pods = new Set<string>()
  readonly #seen = new Set<string>()

  constructor(options: FollowingOptions) {
    this.#options = options
  }

  /** Begins to read the log of a pod's container, once. */
  see(pod: KubeObject): void {
    const { request } = this.#options
    const container = runningContainer(pod, request.component)
    if (container === undefined || this.#seen.has(container)) {
      return
    }
    // Only of what was there before is the end enough.
    const tail = this.#pods.has(pod.metadata.uid ?? '') ? undefined : request.tail
    this.#seen.add(container)
    this.#pods.add(pod.metadata.uid ?? '')
    const reading = this.#read(pod, tail).finally(() => this.#reading.delete(container))
    this.#reading.set(container, reading)
  }

  async ended(): Promise<void> {
    await Promise.all(this.#reading.values())
  }

  async #read(pod: KubeObject, tail: number | undefined): Promise<void> {
    const { signal } = this.#options
    let from: Pick<PodLogOptions, 'tail' | 'sinceSeconds'> = { tail }
    for (;;) {
      const startedAt = Date.now()
      try {
        await this.#copy(podLog(this.#options.api, pod, { ...this.#common(), ...from }), pod)
        return
      } catch {
        if (signal.aborted) {
          return
        }
        // It broke off, as when the host's API server is restarted: it goes on from there, a little said twice.
        await delay(RETRY_MS, undefined, { signal }).catch(() => {})
        from = { sinceSeconds: Math.ceil((Date.now() - startedAt) / 1000) }
      }
    }
  }

  #common(): Pick<PodLogOptions, 'container' | 'follow' | 'signal'> {
    const { request, signal } = this.#options
    return { container: request.component, follow: true, signal }
  }

  async #copy(text: AsyncIterable<string>, { metadata }: KubeObject): Promise<void> {
    const lines = this.#pods.size > 1 ? prefixed(text, `${metadata.name}: `) : text
    for await (const chunk of lines) {
      await this.#options.channel.put(chunk)
    }
  }
}

/** The id of the container that runs in a pod; undefined while none does. */
function runningContainer(pod: KubeObject, name: string): string | undefined {
  const statuses = recordsAt(pod, 'status', 'containerStatuses')
  const container = statuses.find((one) => one['name'] === name)
  const isRunning = recordAt(container, 'state', 'running') !== undefined
  return isRunning ? textAt(container, 'containerID') : undefined
}
