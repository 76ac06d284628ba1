import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import { messageOf } from '../../shared/errors.ts'
import type { Duty } from './duty.ts'
import { keepPlane, type KeepOptions } from './keep-plane.ts'

const POLL_INTERVAL_MS = 5000

export interface KeeperPlane extends PlaneReference {
  id: string
  spec: Pick<PlaneSpec, 'backup' | 'credentials' | 'idle' | 'renew' | 'store'>
  /** It sleeps, and is kept for the clients that wake it. @default false */
  isAsleep?: boolean
}

export interface KeepPlanesOptions<Plane> extends KeepOptions {
  /** Lists the planes that need a keeper now, with what their duties depend on. */
  list: () => Promise<readonly Plane[]>
  dutiesOf: (plane: Plane) => Duty[]
  /** How often planes are listed, in milliseconds. @default 5000 */
  pollIntervalMs?: number
  /** Whether it waits for the next plane while none is listed. @default false */
  isResident?: boolean
}

interface Work<Plane> {
  plane: Plane
  stop: AbortController
  ended: Promise<void>
}

/**
 * Does the duties of each plane while it is listed. They start again when the plane changes, after those before have
 * ended; other planes do not wait for that. Returns when the signal fires, or, unless resident, no plane is listed.
 */
export async function keepPlanes<Plane extends { id: string; name: string }>({
  dutiesOf,
  isResident = false,
  list,
  log,
  pollIntervalMs = POLL_INTERVAL_MS,
  signal,
  ...options
}: KeepPlanesOptions<Plane>): Promise<void> {
  const works = new Map<string, Work<Plane>>()
  await using _works = { [Symbol.asyncDispose]: () => endAll([...works.values()]) }
  const start = (plane: Plane, former: Work<Plane> | undefined): void => {
    const duties = dutiesOf(plane)
    // A plane that sleeps has none, and there may be a thousand of them.
    if (duties.length === 0) {
      return
    }
    const stop = new AbortController()
    const keep = () =>
      keepPlane(duties, {
        ...options,
        log: (line) => log(`${plane.name}: ${line}`),
        signal: AbortSignal.any([signal, stop.signal]),
      })
    const ended = former === undefined ? keep() : former.ended.then(keep)
    const work = { plane, stop, ended }
    works.set(plane.id, work)
    void ended.then(() => works.get(plane.id) === work && works.delete(plane.id))
  }
  let failure = ''
  const tryList = async () => {
    try {
      const planes = await list()
      failure = ''
      return planes
    } catch (error) {
      if (messageOf(error) !== failure) {
        failure = messageOf(error)
        log(`error: cannot list the control planes: ${failure}`)
      }
      return undefined
    }
  }
  while (!signal.aborted) {
    const planes = await tryList()
    if (planes === undefined) {
      await delay(pollIntervalMs, undefined, { signal }).catch(() => {})
      continue
    }
    const wanted = new Map(planes.map((plane) => [plane.id, plane]))
    for (const [id, { plane, stop }] of works) {
      if (!isDeepStrictEqual(wanted.get(id), plane)) {
        stop.abort()
      }
    }
    for (const plane of planes) {
      const former = works.get(plane.id)
      if (former === undefined || former.stop.signal.aborted) {
        start(plane, former)
      }
    }
    if (planes.length === 0 && !isResident) {
      return
    }
    await delay(pollIntervalMs, undefined, { signal }).catch(() => {})
  }
}

async function endAll(works: readonly Work<unknown>[]): Promise<void> {
  works.forEach(({ stop }) => stop.abort())
  await Promise.all(works.map(({ ended }) => ended))
}
