import { setTimeout as delay } from 'node:timers/promises'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import type { Duty } from './duty.ts'
import { keepPlane, type KeepOptions } from './keep-plane.ts'

/** How often it is looked which planes there are, in milliseconds. */
const LOOK_MS = 5000

/** A plane that a keeper looks after, and what it is to do for it. */
export interface KeeperPlane extends PlaneReference {
  id: string
  spec: Pick<PlaneSpec, 'backup' | 'idle'>
}

export interface KeepPlanesOptions extends KeepOptions {
  /** Those that are to be looked after now. */
  list: () => Promise<KeeperPlane[]>
  dutiesOf: (plane: KeeperPlane) => Duty[]
  /** @default 5000 */
  lookMs?: number
}

interface Work {
  stop: AbortController
  ended: Promise<void>
}

/** PlaneObserver after several planes, each for itself, as they come and go; returns when there are none, or the signal fires. */
export async function keepPlanes({
  dutiesOf,
  list,
  lookMs = LOOK_MS,
  signal,
  ...options
}: KeepPlanesOptions): Promise<void> {
  const works = new Map<string, Work>()
  await using _works = { [Symbol.asyncDispose]: () => endAll([...works.values()]) }
  while (!signal.aborted) {
    const planes = await list()
    // Another spec is other work.
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
    if (works.size === 0) {
      return
    }
    await delay(lookMs, undefined, { signal }).catch(() => {})
  }
}

async function endAll(works: readonly Work[]): Promise<void> {
  works.forEach(({ stop }) => stop.abort())
  await Promise.all(works.map(({ ended }) => ended))
}
