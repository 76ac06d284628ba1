import { setTimeout as delay } from 'node:timers/promises'
import type { KubeClient } from '../../src/kube/client/client.ts'
import { toChange, type WatchedPods } from './host-watched-pods.ts'

/** Where changes are made, and where they are seen. */
export interface ChangeOptions {
  /** A client of the host. */
  client: KubeClient
  /** The paths of host pods; each is changed once. */
  paths: readonly string[]
  watched: WatchedPods
  perSecond: number
  signal: AbortSignal
}

/**
 * Changes the status of host pods at a constant rate, however long each takes, and waits until the plane shows all changes.
 *
 * @returns milliseconds for each, from before the request to the host until a watch of the plane has shown it.
 */
export async function changeHostPods(options: ChangeOptions): Promise<number[]> {
  const { client, paths, perSecond, signal, watched } = options
  const round = crypto.randomUUID()
  const startedAt = performance.now()
  const changes: Array<Promise<number>> = []
  for (const [index, path] of paths.entries()) {
    const due = startedAt + (index * 1000) / perSecond
    await delay(Math.max(0, due - performance.now()), undefined, { signal })
    const change = `Change_${round}_${index}`
    const sentAt = performance.now()
    const shown = Promise.all([
      watched.shown(change),
      client.patch(`${path}/status`, toChange(change), { type: 'strategic', signal }),
    ]).then(([shownAt]) => shownAt - sentAt)
    // A failure is reported below, with all others.
    shown.catch(() => {})
    changes.push(shown)
  }
  return await Promise.all(changes)
}
