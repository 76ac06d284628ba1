import { setTimeout as delay } from 'node:timers/promises'
import { isSamePlane } from '../../control-plane/plane/plane.ts'
import type { Listed } from '../results/plane-result.ts'

export interface WatchOptions {
  /** Time between two lists, in milliseconds. @default 2000 */
  intervalMs?: number
  signal: AbortSignal
}

export type Watched = Listed & { isDeleted?: boolean }

/**
 * The planes whose row changed since the list before, beginning after `first`, until the signal fires. Age, and the time
 * until certificates expire, are no change. A deleted plane is reported once, as it was.
 */
export async function* watchPlanes(
  first: readonly Listed[],
  list: () => Promise<Listed[]>,
  { intervalMs = 2000, signal }: WatchOptions,
): AsyncIterable<Watched[]> {
  let before = first
  while (await pause(intervalMs, signal)) {
    const now = await list()
    const known = before
    const changed = now.filter((one) => rowOf(one) !== rowOf(sameIn(known, one)))
    const deleted = known.filter((one) => sameIn(now, one) === undefined)
    before = now
    if (changed.length + deleted.length > 0) {
      yield [...changed, ...deleted.map((one) => ({ ...one, isDeleted: true }))]
    }
  }
}

async function pause(intervalMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await delay(intervalMs, undefined, { signal })
    return true
  } catch {
    return false
  }
}

function sameIn(list: readonly Listed[], { plane }: Listed): Listed | undefined {
  return list.find((one) => isSamePlane(one.plane, plane))
}

function rowOf(listed: Listed | undefined): string | undefined {
  return (
    listed &&
    JSON.stringify([listed.status.phase, listed.status.reason, listed.isConnected, listed.tunnel])
  )
}
