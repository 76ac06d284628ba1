import type { Plane } from '../../control-plane/plane/plane.ts'
import { wakesForAny } from '../../control-plane/plane/is-woken-by-any.ts'
import {
  afterSleep,
  afterWake,
  sourceInVain,
  type StayAwake,
  type Wake,
  type WakeSource,
  type WakeStatus,
} from '../../control-plane/status/wake-status.ts'
import type { ConnectingProcess } from '../../shared/network/connecting-process.ts'
import { formatSeconds } from '../../shared/text/duration.ts'
import type { KeeperEvent } from '../duties/duty.ts'
import type { PlaneUse } from '../duties/plane-use.ts'
import type { FileBoard } from './plane-boards.ts'
import { isRunning, sourceOf } from './waking-process.ts'

const WINDOW_MS = 10 * 60_000

/** A client may wake so many planes within ten minutes. */
const MAX_OF_SOURCE = 30

/** How long clients cannot start a plane again whose start has failed. It doubles with each failure. */
const FIRST_DELAY_MS = 10_000
const MAX_DELAY_MS = 5 * 60_000

type Named = Pick<Plane, 'id' | 'name'>

export interface WakesDependencies {
  /** Where the wakes of a plane are recorded for users and for the next keeper. */
  boardOf: (plane: Named) => FileBoard<WakeStatus>
  /** The processes of others that are connected to a plane; undefined for each that cannot be found. */
  clientsOf: (plane: Plane) => Promise<Array<ConnectingProcess | undefined>>
  report: (plane: Named, event: KeeperEvent) => void
  now: () => Date
}

/** Decides which clients wake a plane and when it may fall asleep, and records both. One of a process. */
export class Wakes {
  readonly #deps: WakesDependencies
  #admitted: Array<{ at: Date; by: string | undefined }> = []
  readonly #failures = new Map<string, { delayMs: number; until: Date }>()
  /** What was reported of each plane since it last woke. */
  readonly #refusals = new Map<string, Set<string>>()

  constructor(deps: WakesDependencies) {
    this.#deps = deps
  }

  /** @throws {Error} when a client is not to wake a plane. */
  async admit(plane: Named, source: WakeSource | undefined): Promise<void> {
    const reason = await this.#refusal(plane, source)
    if (reason !== undefined) {
      const message = `${nameOf(source)}: ${reason}`
      const reported = this.#refusals.get(plane.id) ?? new Set()
      this.#refusals.set(plane.id, reported)
      if (!reported.has(message)) {
        reported.add(message)
        this.#deps.report(plane, { level: 'warning', reason: 'WakeRefused', message })
      }
      throw new Error(reason)
    }
  }

  /** Records that a plane was woken. */
  async woken(plane: Named, wake: Wake): Promise<void> {
    const { boardOf, report } = this.#deps
    this.#failures.delete(plane.id)
    this.#refusals.delete(plane.id)
    const { ms, serverName, source } = wake
    const asked = serverName === undefined ? '' : ` as ${serverName}`
    const message = `by ${nameOf(source)}${asked}, in ${formatSeconds(ms)}`
    report(plane, { level: 'normal', reason: 'Woken', message })
    const board = boardOf(plane)
    await board.write(afterWake(await board.read(), wake))
  }

  /** Records that a plane could not be woken, which is not tried again at once. */
  failed(plane: Named, source: WakeSource | undefined, message: string): void {
    const { now, report } = this.#deps
    const former = this.#failures.get(plane.id)?.delayMs ?? FIRST_DELAY_MS / 2
    const delayMs = Math.min(former * 2, MAX_DELAY_MS)
    this.#failures.set(plane.id, { delayMs, until: new Date(now().getTime() + delayMs) })
    const event = { level: 'warning', reason: 'WakeFailed' } as const
    report(plane, { ...event, message: `by ${nameOf(source)}: ${message}` })
  }

  /**
   * Whether an unused plane may fall asleep, which is then recorded. It stays awake while a client would wake it again and
   * again, or while its clients cannot be told apart.
   */
  async mayFallAsleep(plane: Plane, { hasWrites }: PlaneUse): Promise<boolean> {
    if (!wakesForAny(plane.spec)) {
      return true
    }
    const { boardOf, clientsOf, now, report } = this.#deps
    const board = boardOf(plane)
    const status = await board.read()
    const clients = await clientsOf(plane)
    const stay = this.#reasonToStay(status, { clients, hasWrites })
    if (stay === undefined) {
      const watchers = clients.flatMap((client) => (client === undefined ? [] : sourceOf(client)))
      await board.write(afterSleep(status, { hasWrites, watchers }))
      return true
    }
    if (status.staysAwake?.reason !== stay.reason) {
      await board.write({ ...status, staysAwake: { ...stay, since: now() } })
      report(plane, { level: 'warning', reason: 'StaysAwake', message: stay.reason })
    }
    return false
  }

  #reasonToStay(
    status: WakeStatus,
    { clients, hasWrites }: { clients: readonly unknown[]; hasWrites: boolean },
  ): Omit<StayAwake, 'since'> | undefined {
    if (clients.includes(undefined)) {
      return { reason: 'programs are connected to it that vplane cannot tell apart' }
    }
    const source = status.staysAwake?.source ?? sourceInVain(status, this.#deps.now())
    return source === undefined || hasWrites || !isRunning(source)
      ? undefined
      : { source, reason: `${source.name} woke it three times within an hour and wrote nothing` }
  }

  async #refusal(plane: Named, source: WakeSource | undefined): Promise<string | undefined> {
    const now = this.#deps.now()
    const failure = this.#failures.get(plane.id)
    if (failure !== undefined && failure.until > now) {
      return 'its last start has failed, and is tried again later'
    }
    const { watchers } = await this.#deps.boardOf(plane).read()
    if (watchers.some(({ id }) => id === source?.id)) {
      return 'it only watched when the control plane fell asleep'
    }
    this.#admitted = this.#admitted.filter(({ at }) => now.getTime() - at.getTime() < WINDOW_MS)
    if (this.#admitted.filter(({ by }) => by === source?.id).length >= MAX_OF_SOURCE) {
      return `it has woken ${MAX_OF_SOURCE} control planes within ten minutes`
    }
    this.#admitted.push({ at: now, by: source?.id })
    return undefined
  }
}

function nameOf(source: WakeSource | undefined): string {
  return source?.name ?? 'a client'
}
