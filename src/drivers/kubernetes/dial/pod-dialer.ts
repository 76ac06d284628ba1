import type { Duplex } from 'node:stream'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { type Dial, isTransient } from '../../../tunnel/connections/dial.ts'
import { type ApiServerPod, KnownPods, type PodsApi } from './known-pods.ts'
import type { Host } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { Rotation } from './rotation.ts'
import { SharedRun } from './shared-run.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { API_PORT } from '../../../manifests/ports.ts'
import { objectPath } from '../../../shared/kube/collections.ts'

export interface PodDialerOptions extends PlacedName {
  api: PodsApi
  /** The signal aborts only the opening. */
  forward: Host['forward']
  /** How long the watch of the pods continues after the last stream, in milliseconds. @default 0 */
  lingerMs?: number
  /** How long to wait for a ready pod before a running one is used, in milliseconds. @default 0 */
  unreadyAfterMs?: number
}

/** How long an attempt with one pod may delay the next one, in milliseconds. */
const TURN_MS = 3000

/** Refusals of the host that do not pass without the user: a missing login, a missing right. */
const DENIALS = [401, 403]

/**
 * Connects to the ready kube-apiserver pods of a plane, each in turn, and to the next one when one fails. Waits for a
 * ready pod until the signal fires.
 *
 * Rejects with `UNREACHABLE` for a failure that may pass, `CONTROL_PLANE_NOT_FOUND` when the plane does not exist, and
 * with the refusal of the host when a login or a right is missing.
 */
export function podDialer(options: PodDialerOptions): Dial {
  const { lingerMs = 0, unreadyAfterMs = 0 } = options
  const pods = new KnownPods(options.api, options)
  const following = new SharedRun((signal) => pods.follow(signal), lingerMs)
  const ready = new ReadyPods(pods, unreadyAfterMs)
  const rotation = new Rotation()

  const candidates = async (signal: AbortSignal) => {
    const known = await pods.current(signal)
    if (known.length === 0) {
      await refuseIfGone(options, signal)
    }
    const picked = ready.pick(known, performance.now())
    if (picked.length > 0) {
      return picked
    }
    using watch = following.hold()
    return await Promise.race([watch.failed, ready.wait(signal)])
  }
  const observe = (stream: Duplex, pod: ApiServerPod) => {
    const watch = lingerMs > 0 ? following.hold() : undefined
    stream.once('close', () => {
      watch?.[Symbol.dispose]()
      if (!stream.readableDidRead) {
        // The pod has sent nothing: another one may respond.
        rotation.failed(pod, performance.now())
        pods.invalidate()
      }
    })
    return stream
  }
  return async (signal) => {
    try {
      const order = rotation.next(await candidates(signal), performance.now())
      for (const [index, pod] of order.entries()) {
        const isLast = index === order.length - 1
        try {
          const turn = { pod, turnMs: isLast ? undefined : TURN_MS }
          return observe(await openStream(options, turn, signal), pod)
        } catch (error) {
          rotation.failed(pod, performance.now())
          if (isLast || signal.aborted || !isTransient(toDialFailure(error))) {
            throw error
          }
        }
      }
      throw new VplaneError('UNREACHABLE', `no pod of "${options.name}" can be reached`)
    } catch (error) {
      pods.invalidate()
      throw toDialFailure(error)
    }
  }
}

async function openStream(
  { forward, namespace }: PodDialerOptions,
  { pod, turnMs }: { pod: ApiServerPod; turnMs: number | undefined },
  signal: AbortSignal,
): Promise<Duplex> {
  const opening = new AbortController()
  const stop = () => opening.abort(signal.reason)
  const late = new VplaneError('TIMED_OUT', `"${pod.name}" opened no stream within ${turnMs} ms`)
  const timer = turnMs === undefined ? undefined : setTimeout(() => opening.abort(late), turnMs)
  signal.addEventListener('abort', stop)
  try {
    return await forward({ namespace, pod: pod.name, port: API_PORT }, { signal: opening.signal })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** Checks the endpoint, which is created first and deleted last. */
async function refuseIfGone(
  { api, name, namespace }: PodDialerOptions,
  signal: AbortSignal,
): Promise<void> {
  const path = objectPath('services', { name: objectName(name, 'api'), namespace })
  if ((await api.get(path, { signal })) === undefined) {
    throw new VplaneError(
      'CONTROL_PLANE_NOT_FOUND',
      `"${name}" does not exist in the host namespace "${namespace}" any more`,
      { hints: [{ action: 'list' }] },
    )
  }
}

/**
 * `UNREACHABLE` unless the user has to act: the host also responds with 500 when it cannot reach a node,
 * and with 404 for a pod that was just deleted.
 */
function toDialFailure(error: unknown): VplaneError {
  if (!(error instanceof VplaneError)) {
    return new VplaneError('UNREACHABLE', messageOf(error), { cause: error })
  }
  const status = httpStatusOf(error)
  const isTransient =
    status === undefined
      ? ['UNREACHABLE', 'TIMED_OUT', 'ABORTED', 'NOT_FOUND'].includes(error.code)
      : !DENIALS.includes(status)
  return isTransient ? new VplaneError('UNREACHABLE', error.message, { cause: error }) : error
}

/** Selects the ready pods; when none has been ready for a while, the running ones. */
class ReadyPods {
  readonly #pods: KnownPods
  readonly #unreadyAfterMs: number
  #noneSince: number | undefined

  constructor(pods: KnownPods, unreadyAfterMs: number) {
    this.#pods = pods
    this.#unreadyAfterMs = unreadyAfterMs
  }

  pick(pods: readonly ApiServerPod[], now: number): ApiServerPod[] {
    const ready = pods.filter(({ isReady }) => isReady)
    if (ready.length > 0) {
      this.#noneSince = undefined
      return ready
    }
    this.#noneSince ??= now
    const isLate = now - this.#noneSince >= this.#unreadyAfterMs
    return isLate ? pods.filter(({ isRunning }) => isRunning) : []
  }

  /** Waits for pods while they are followed; rejects with the reason of the signal when it fires. */
  async wait(signal: AbortSignal): Promise<ApiServerPod[]> {
    signal.throwIfAborted()
    using waiting = new DisposableStack()
    return await new Promise((resolve, reject) => {
      const check = (pods: ApiServerPod[]) => {
        const picked = this.pick(pods, performance.now())
        if (picked.length > 0) {
          resolve(picked)
        }
      }
      const stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop)
      waiting.defer(() => signal.removeEventListener('abort', stop))
      waiting.use(this.#pods.watch(check))
      // A timer may fire a part of a millisecond early, and there would be no second check.
      const timer = setTimeout(() => waiting.use(this.#pods.watch(check)), this.#unreadyAfterMs + 1)
      waiting.defer(() => clearTimeout(timer))
    })
  }
}
