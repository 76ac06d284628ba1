import type { KubeClient } from '../../src/kube/client/client.ts'
import { isReadyPod } from '../../src/drivers/kubernetes/observed/observed-plane.ts'
import { recordsAt, textAt } from '../../src/shared/json-fields.ts'
import type { KubeObject } from '../../src/shared/kube/kube-object.ts'

/** The condition of a pod whose reason is the name of the last change of the bench. */
const CONDITION = 'bench.vplane.dev/Changed'

const TIMEOUT_MS = 120_000

/** What one watch of a plane shows of its pods. */
export interface WatchedPods extends AsyncDisposable {
  /** How many are ready. */
  readonly ready: number
  /** The time, of `performance.now()`, when the watch shows a change: a word that is used once. */
  shown(change: string): Promise<number>
}

/** Watches all pods of a plane until it is disposed. */
export function watchPods(plane: KubeClient): WatchedPods {
  const ready = new Set<string>()
  const waiting = new Map<string, (at: number) => void>()
  const stop = new AbortController()
  const run = async () => {
    const { signal } = stop
    for await (const { object, type } of plane.watch('/api/v1/pods', { signal })) {
      const { name, namespace } = object.metadata
      const key = `${namespace}/${name}`
      if (type !== 'DELETED' && isReadyPod(object)) {
        ready.add(key)
      } else {
        ready.delete(key)
      }
      waiting.get(changeOf(object))?.(performance.now())
    }
  }
  // A wait for a change fails for the same reason.
  const running = run().catch((error: unknown) => stop.abort(error))
  return {
    get ready() {
      stop.signal.throwIfAborted()
      return ready.size
    },
    shown: async (change) => {
      const { promise, reject, resolve } = Promise.withResolvers<number>()
      const deadline = AbortSignal.any([stop.signal, AbortSignal.timeout(TIMEOUT_MS)])
      deadline.addEventListener('abort', () => reject(deadline.reason), { once: true })
      waiting.set(change, resolve)
      try {
        return await promise
      } finally {
        waiting.delete(change)
      }
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
    },
  }
}

/** The patch of a pod's status that makes a change. */
export function toChange(change: string): object {
  return { status: { conditions: [{ type: CONDITION, status: 'True', reason: change }] } }
}

function changeOf(pod: KubeObject): string {
  const condition = recordsAt(pod['status'], 'conditions').find(({ type }) => type === CONDITION)
  return textAt(condition, 'reason') ?? ''
}
