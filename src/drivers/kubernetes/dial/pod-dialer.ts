import type { Duplex } from 'node:stream'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { type Dial, isTransient } from '../../../tunnel/connections/dial.ts'
import type { ApiServerPod } from './api-server-pod.ts'
import { Following } from './following.ts'
import { KnownPods, type PodsApi } from './known-pods.ts'
import { ReadyPods } from './ready-pods.ts'
import { Rotation } from './rotation.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { objectPath } from '../../../shared/kube/collections.ts'

export interface PodDialerOptions {
  api: PodsApi
  /** One TCP stream to a port of a pod, through the host's API server; the signal ends the opening of it. */
  forward: (
    target: { namespace: string; pod: string; port: number },
    options: { signal: AbortSignal },
  ) => Promise<Duplex>
  namespace: string
  name: string
  /**
   * How long the pods are still watched when no stream is open any more, in milliseconds; 0 watches them only while
   * one waits for a pod. @default 0
   */
  lingerMs?: number
  /** How long to hold out for a pod that is ready before one is taken that only runs, in milliseconds. @default 0 */
  unreadyAfterMs?: number
}

/** Where kube-apiserver listens in its pod. */
const PORT = 6443

/** How long one pod may keep the next one from being tried, in milliseconds. */
const TURN_MS = 3000

/** Answers of the host that stay as they are until somebody does something about it: a login, a right. */
const DENIALS = [401, 403]

/**
 * Dials the kube-apiserver pods of a plane: one that is ready, each in turn, the next one when one fails. When there is
 * none, it waits for one until the signal fires.
 *
 * It rejects with `UNREACHABLE` for what may be over in a moment, `CONTROL_PLANE_NOT_FOUND` when the plane is gone, and
 * with what the host said when a login or a right is missing.
 */
export function podDialer(options: PodDialerOptions): Dial {
  const { lingerMs = 0, unreadyAfterMs = 0 } = options
  const pods = new KnownPods(options.api, options)
  const following = new Following((signal) => pods.follow(signal), lingerMs)
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
        // Its process has not said a word: another pod may.
        rotation.failed(pod, performance.now())
        pods.distrust()
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
      throw new VplaneError('UNREACHABLE', `no pod of "${options.name}" can be dialled`)
    } catch (error) {
      pods.distrust()
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
  const late = new VplaneError('TIMED_OUT', `"${pod.name}" took no stream within ${turnMs} ms`)
  const timer = turnMs === undefined ? undefined : setTimeout(() => opening.abort(late), turnMs)
  signal.addEventListener('abort', stop)
  try {
    return await forward({ namespace, pod: pod.name, port: PORT }, { signal: opening.signal })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** The endpoint is what is made first and removed last. */
async function refuseIfGone(
  { api, name, namespace }: PodDialerOptions,
  signal: AbortSignal,
): Promise<void> {
  const path = objectPath('services', { name: objectName(name, 'api'), namespace })
  if ((await api.get(path, { signal })) === undefined) {
    throw new VplaneError(
      'CONTROL_PLANE_NOT_FOUND',
      `"${name}" is not in the host namespace "${namespace}" any more`,
      { hints: [{ action: 'list' }] },
    )
  }
}

/**
 * What a dial rejects with: the error itself when somebody has to do something about it, otherwise `UNREACHABLE`. A host
 * that cannot get through to a node answers with 500, and a pod that was just deleted with 404.
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
