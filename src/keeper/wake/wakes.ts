import type { Plane } from '../../control-plane/plane/plane.ts'
import {
  afterSleep,
  afterWake,
  sourceInVain,
  type StayAwake,
  type Wake,
  type WakeSource,
  type WakeStatus,
} from '../../control-plane/status/wake-status.ts'
import { formatSeconds } from '../../shared/text/duration.ts'
import type { KeeperEvent } from '../duties/duty.ts'
import type { PlaneUse } from '../duties/plane-use.ts'

const WINDOW_MS = 10 * 60_000

/** A client may wake so many planes within ten minutes. */
const MAX_OF_SOURCE = 30

/** So many planes of a namespace that have begun to wake may start at once, for so long: one that never gets ready must not prevent others. */
const MAX_AT_ONCE = 10
const START_MS = 120_000

/** How long clients cannot start a plane again whose start has failed. It doubles with each failure. */
const FIRST_DELAY_MS = 10_000
const MAX_DELAY_MS = 5 * 60_000

/** So many refusals of a plane are reported until it wakes: there may be a new client every second. */
const MAX_REPORTED = 20

type Named = Pick<Plane, 'id' | 'name' | 'namespace'>

/** Where the wakes of a plane are recorded for users and for the next keeper. */
export interface WakeBoard {
  read: () => Promise<WakeStatus>
  write: (status: WakeStatus) => Promise<void>
}

export interface WakesDependencies {
  boardOf: (plane: Named) => WakeBoard
  /** The clients that are connected to a plane, apart from its components; undefined for each that cannot be told apart. */
  clientsOf: (plane: Named) => Promise<Array<WakeSource | undefined>>
  /** Whether a client that woke a plane in vain may wake it again. */
  isPresent: (source: WakeSource, since: Date) => boolean
  report: (plane: Named, event: KeeperEvent) => void
  now: () => Date
  /** A time in milliseconds that only passes, whatever happens to the clock. @default since the start of this process */
  elapsedMs?: () => number
}

/** Decides which clients wake a plane and when one that they wake may fall asleep, and records both. One of a process. */
export class Wakes {
  readonly #deps: Required<WakesDependencies>
  #admitted: Array<{ atMs: number; by: string | undefined }> = []
  readonly #begun = new Map<string, { plane: Named; atMs: number; wake: Omit<Wake, 'ms'> }>()
  readonly #known = new Map<string, WakeStatus>()
  readonly #failures = new Map<string, { delayMs: number; untilMs: number }>()
  /** What the boards say, which only one process writes at a time. */
  readonly #watchers = new Map<string, readonly WakeSource[]>()
  /** What was reported of each plane since it last woke. */
  readonly #refusals = new Map<string, Set<string>>()

  constructor(deps: WakesDependencies) {
    this.#deps = { elapsedMs: () => performance.now(), ...deps }
  }

  /** The wakes of a plane as this process has read or written them last. @default unknown */
  known({ id }: Pick<Named, 'id'>): WakeStatus | undefined {
    return this.#known.get(id)
  }

  /** Whether no client may wake a plane now, because its last start has failed. */
  isRefused({ id }: Pick<Named, 'id'>): boolean {
    const failure = this.#failures.get(id)
    return failure !== undefined && failure.untilMs > this.#deps.elapsedMs()
  }

  /** @throws {Error} when a client is not to wake a plane. */
  async admit(plane: Named, source: WakeSource | undefined): Promise<void> {
    const reason = await this.#refusal(plane, source)
    if (reason !== undefined) {
      const message = `${nameOf(source)}: ${reason}`
      const reported = this.#refusals.get(plane.id) ?? new Set()
      this.#refusals.set(plane.id, reported)
      if (!reported.has(message) && reported.size < MAX_REPORTED) {
        reported.add(message)
        this.#deps.report(plane, { level: 'warning', reason: 'WakeRefused', message })
      }
      throw new Error(reason)
    }
  }

  /** Notes that a plane is being woken. `ended` records it. */
  begin(plane: Named, wake: Omit<Wake, 'ms'>): void {
    this.#begun.set(plane.id, { plane, atMs: this.#deps.elapsedMs(), wake })
  }

  /** Records the wake of a plane that has begun, if there is one. */
  async ended(plane: Named): Promise<void> {
    const begun = this.#begun.get(plane.id)
    if (begun !== undefined) {
      await this.woken(plane, { ...begun.wake, ms: this.#deps.elapsedMs() - begun.atMs })
    }
  }

  /** Records that a plane was woken. */
  async woken(plane: Named, wake: Wake): Promise<void> {
    const { boardOf, report } = this.#deps
    this.#begun.delete(plane.id)
    this.#failures.delete(plane.id)
    this.#refusals.delete(plane.id)
    const { ms, serverName, source } = wake
    const asked = serverName === undefined ? '' : ` as ${serverName}`
    const message = `by ${nameOf(source)}${asked}, in ${formatSeconds(ms)}`
    report(plane, { level: 'normal', reason: 'Woken', message })
    await this.#write(plane, afterWake(await boardOf(plane).read(), wake))
  }

  /** Records that a plane could not be woken, which is not tried again at once. */
  failed(plane: Named, source: WakeSource | undefined, message: string): void {
    const { elapsedMs, report } = this.#deps
    this.#begun.delete(plane.id)
    const former = this.#failures.get(plane.id)?.delayMs ?? FIRST_DELAY_MS / 2
    const delayMs = Math.min(former * 2, MAX_DELAY_MS)
    this.#failures.set(plane.id, { delayMs, untilMs: elapsedMs() + delayMs })
    const event = { level: 'warning', reason: 'WakeFailed' } as const
    report(plane, { ...event, message: `by ${nameOf(source)}: ${message}` })
  }

  /**
   * Returns what records that an unused plane falls asleep; undefined when it may not. It stays awake while a client would wake
   * it again and again, or while its clients cannot be told apart.
   */
  async mayFallAsleep(
    plane: Named,
    { hasWrites }: Pick<PlaneUse, 'hasWrites'>,
  ): Promise<(() => Promise<void>) | undefined> {
    const { boardOf, clientsOf, now, report } = this.#deps
    const status = withoutFuture(await boardOf(plane).read(), now())
    this.#known.set(plane.id, status)
    const clients = await clientsOf(plane)
    const stay = this.#reasonToStay(status, { clients, hasWrites })
    if (stay === undefined) {
      const watchers = clients.filter((client) => client !== undefined)
      return async () => {
        const latest = await boardOf(plane).read()
        await this.#write(plane, afterSleep(latest, { hasWrites, watchers }))
      }
    }
    if (status.staysAwake?.reason !== stay.reason) {
      await this.#write(plane, { ...status, staysAwake: { ...stay, since: now() } })
      report(plane, { level: 'warning', reason: 'StaysAwake', message: stay.reason })
    }
    return undefined
  }

  /** A client that is refused comes again every second: it must not cost a request to the host each time. */
  async #watchersOf(plane: Named): Promise<readonly WakeSource[]> {
    const watchers =
      this.#watchers.get(plane.id) ?? (await this.#deps.boardOf(plane).read()).watchers
    this.#watchers.set(plane.id, watchers)
    return watchers
  }

  async #write(plane: Named, status: WakeStatus): Promise<void> {
    this.#known.set(plane.id, status)
    this.#watchers.set(plane.id, status.watchers)
    await this.#deps.boardOf(plane).write(status)
  }

  #reasonToStay(
    status: WakeStatus,
    { clients, hasWrites }: { clients: readonly unknown[]; hasWrites: boolean },
  ): Omit<StayAwake, 'since'> | undefined {
    if (clients.includes(undefined)) {
      return { reason: 'programs are connected to it that vplane cannot tell apart' }
    }
    const { isPresent, now } = this.#deps
    const { since = now(), source = sourceInVain(status, now()) } = status.staysAwake ?? {}
    return source === undefined || hasWrites || !isPresent(source, since)
      ? undefined
      : { source, reason: `${source.name} woke it three times within an hour and wrote nothing` }
  }

  async #refusal(plane: Named, source: WakeSource | undefined): Promise<string | undefined> {
    const nowMs = this.#deps.elapsedMs()
    if (this.isRefused(plane)) {
      return 'its last start has failed, and is tried again later'
    }
    const starting = [...this.#begun.values()].filter(
      (begun) => begun.plane.namespace === plane.namespace && nowMs - begun.atMs < START_MS,
    )
    if (starting.length >= MAX_AT_ONCE) {
      return `${MAX_AT_ONCE} others start`
    }
    this.#admitted = this.#admitted.filter(({ atMs }) => nowMs - atMs < WINDOW_MS)
    if (this.#admitted.filter(({ by }) => by === source?.id).length >= MAX_OF_SOURCE) {
      return `it has woken ${MAX_OF_SOURCE} control planes within ten minutes`
    }
    if ((await this.#watchersOf(plane)).some(({ id }) => id === source?.id)) {
      return 'it only watched when the control plane was paused'
    }
    this.#admitted.push({ atMs: nowMs, by: source?.id })
    return undefined
  }
}

/** A time in the future, written by a wrong clock, must not keep a plane awake. */
function withoutFuture({ staysAwake, ...status }: WakeStatus, now: Date): WakeStatus {
  return staysAwake === undefined || staysAwake.since > now ? status : { ...status, staysAwake }
}

function nameOf(source: WakeSource | undefined): string {
  return source?.name ?? 'a client'
}
