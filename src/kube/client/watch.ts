import { pause } from '../http/exchange.ts'
import { httpStatusOf } from '../kube-error.ts'
import { KnownObjects } from './known-objects.ts'
import type { WatchEvent } from '../../shared/kube/kube-object.ts'
import { keptPart, type ListOptions, listObjects } from './list.ts'
import { eitherOf, type Transport } from '../http/transport.ts'
import { openWatchStream } from './watch-stream.ts'

/** Denials in a row until the watch fails: new credentials and RBAC rules take a moment to apply. */
const MAX_DENIALS = 3
const DENIALS = [401, 403]
/** Statuses of a wrong request, which a retry cannot fix. */
const MISTAKES = [400, 405, 406, 415, 422]

export interface WatchOptions extends Pick<ListOptions, 'keep' | 'metadataOnly'> {
  signal: AbortSignal
  onListed?: (() => void) | undefined
  onDenied?: ((error: unknown) => void) | undefined
}

/**
 * Lists, then watches: yields every existing object as ADDED, then each change once and in order. An object of which
 * `keep` returns nothing does not exist for its consumer.
 *
 * It continues after every failure, with growing delays: from the last resource version, or with a new list if the server
 * no longer has that version. It reads no further than its consumer, and closes its connection when the consumer stops.
 *
 * @param onListed called when the consumer has taken all objects of a list: the first one, and each new one
 * @param onDenied called when the server denies it three times in a row, and after each further denial: it tries again
 * @throws {VplaneError} `FAILED` when the server denies it three times in a row and there is no `onDenied`, or rejects the
 * request. When a signal fires, its reason.
 */
export async function* watchObjects(
  transport: Transport,
  path: string,
  { keep, metadataOnly, onDenied, onListed, signal: callerSignal }: WatchOptions,
): AsyncGenerator<WatchEvent, void, void> {
  const signal = eitherOf(transport.closed, callerSignal)
  const known = new KnownObjects()
  const progress = new Progress(transport)
  let resourceVersion: string | undefined
  for (;;) {
    signal.throwIfAborted()
    try {
      if (resourceVersion === undefined) {
        const list = await listObjects(transport, path, { signal, keep, metadataOnly })
        yield* known.replace(list.items)
        resourceVersion = list.resourceVersion
        onListed?.()
      }
      const onOpen = () => progress.opened()
      const stream = openWatchStream(transport, path, {
        resourceVersion,
        signal,
        onOpen,
        metadataOnly,
      })
      for await (const { type, object } of stream) {
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion
        if (type !== 'BOOKMARK') {
          const event = keptOf({ type, object }, keep)
          known.record(event)
          yield event
        }
      }
    } catch (error) {
      signal.throwIfAborted()
      if (progress.isHopeless(error)) {
        if (onDenied === undefined || !isDenial(error)) {
          throw error
        }
        onDenied(error)
      }
      if (httpStatusOf(error) === 410) {
        resourceVersion = undefined
      }
    }
    await progress.pause(signal)
  }
}

function keptOf({ object, type }: WatchEvent, keep: WatchOptions['keep']): WatchEvent {
  const kept = keptPart(object, keep)
  return { type: kept === undefined ? 'DELETED' : type, object: kept ?? object }
}

function isDenial(error: unknown): boolean {
  return DENIALS.includes(httpStatusOf(error) ?? 0)
}

/** Counts the failures of a watch, and derives the delay before it continues. */
class Progress {
  #failures = 0
  #denials = 0
  #openedAt: number | undefined
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  opened(): void {
    this.#denials = 0
    this.#openedAt = performance.now()
  }

  isHopeless(error: unknown): boolean {
    const status = httpStatusOf(error) ?? 0
    if (isDenial(error)) {
      this.#denials += 1
      return this.#denials >= MAX_DENIALS
    }
    return MISTAKES.includes(status)
  }

  /** A watch that lasted continues at once; a short one may be due to a server that ends every watch. */
  async pause(signal: AbortSignal): Promise<void> {
    const { maxWatchRetryMs, watchRetryMs, watchWellMs } = this.#transport.patience
    const wasWell =
      this.#openedAt !== undefined && performance.now() - this.#openedAt >= watchWellMs
    this.#openedAt = undefined
    this.#failures = wasWell ? 0 : this.#failures + 1
    if (this.#failures > 0) {
      const delayMs = Math.min(watchRetryMs * 2 ** (this.#failures - 1), maxWatchRetryMs)
      await pause(delayMs * (0.5 + Math.random() / 2), signal)
    }
  }
}
