import { setTimeout as delay } from 'node:timers/promises'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import type { Duty } from './duty.ts'
import { keepPlane, type KeepOptions } from './keep-plane.ts'

const POLL_INTERVAL_MS = 5000

export interface KeeperPlane extends PlaneReference {
  id: string
  spec: Pick<PlaneSpec, 'backup' | 'credentials' | 'idle' | 'renew'>
  /** It sleeps, and is kept for the clients that wake it. @default false */
  isAsleep?: boolean
}

export interface KeepPlanesOptions extends KeepOptions {
  /** Lists the planes that need a keeper now. */
  list: () => Promise<KeeperPlane[]>
  dutiesOf: (plane: KeeperPlane) => Duty[]
  /** How often planes are listed, in milliseconds. @default 5000 */
  pollIntervalMs?: number
  /** Whether it waits for the next plane while none is listed. @default false */
  isResident?: boolean
}

interface Work {
  stop: AbortController
  ended: Promise<void>
}

/** Does the duties of each plane while it is listed. Returns when the signal fires, or, unless resident, no plane is listed. */
export async function keepPlanes({
  dutiesOf,
  isResident = false,
  list,
  pollIntervalMs = POLL_INTERVAL_MS,
  signal,
  ...options
}: KeepPlanesOptions): Promise<void> {
  const works = new Map<string, Work>()
  await using _works = { [Symbol.asyncDispose]: () => endAll([...works.values()]) }
  while (!signal.aborted) {
    const planes = await list()
    // The key holds the spec: the duties of a plane start again when its spec changes.
    const wanted = new Map(planes.map((plane) => [JSON.stringify(plane), plane]))
    for (const [key, work] of works) {
      if (!wanted.has(key)) {
        works.delete(key)
        await endAll([work])
      }
    }
    for (const [key, plane] of wanted) {
      if (!works.has(key)) {
        const stop = new AbortController()
        const either = AbortSignal.any([signal, stop.signal])
        const ended = keepPlane(dutiesOf(plane), { ...options, signal: either })
        works.set(key, { stop, ended })
      }
    }
    if (works.size === 0 && !isResident) {
      return
    }
    await delay(pollIntervalMs, undefined, { signal }).catch(() => {})
  }
}

async function endAll(works: readonly Work[]): Promise<void> {
  works.forEach(({ stop }) => stop.abort())
  await Promise.all(works.map(({ ended }) => ended))
}
