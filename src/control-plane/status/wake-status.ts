/** A client that can be told apart from others. */
export interface WakeSource {
  /** Identifies it: on this machine its process, which is unique until a reboot. */
  id: string
  /** For people: `kubectl (process 4121)`. */
  name: string
}

/** A start of a sleeping plane for a client that connected. */
export interface Wake {
  at: Date
  /** @default unknown */
  source?: WakeSource
  /** The name of a server that the client asked for. @default none, as with IP addresses */
  serverName?: string
  /** From the connection until the API was ready, in milliseconds. */
  ms: number
  /** Objects were written before the plane fell asleep again. @default it has not yet */
  hasWrites?: boolean
}

/** How clients wake a plane. */
export interface WakeStatus {
  /** All wakes. */
  count: number
  /** The last ten, the latest last. */
  recent: readonly Wake[]
  /** The clients that only watched when it fell asleep: they do not wake it. */
  watchers: readonly WakeSource[]
  /** Why it does not fall asleep although nobody uses it. @default it does */
  staysAwake?: StayAwake
}

export interface StayAwake {
  since: Date
  reason: string
  /** Whose end lets it sleep again. @default unknown */
  source?: WakeSource
}

const MAX_RECENT = 10
const WAKES_IN_VAIN = 3
const HOUR_MS = 3_600_000

/** The status after another wake. */
export function afterWake({ count, recent }: WakeStatus, wake: Wake): WakeStatus {
  return { count: count + 1, recent: [...recent, wake].slice(-MAX_RECENT), watchers: [] }
}

/** The status of a plane that falls asleep, with the clients that watch it then. */
export function afterSleep(
  { count, recent }: WakeStatus,
  { hasWrites, watchers }: Pick<WakeStatus, 'watchers'> & { hasWrites: boolean },
): WakeStatus {
  const last = recent.slice(-1).map((wake) => ({ hasWrites, ...wake }))
  return { count, recent: [...recent.slice(0, -1), ...last], watchers }
}

/** The client that woke the plane three times within an hour, while nothing was written; undefined when none did. */
export function sourceInVain(
  { recent }: Pick<WakeStatus, 'recent'>,
  now: Date,
): WakeSource | undefined {
  const wakes = recent.filter(
    ({ at, hasWrites }) => hasWrites !== true && at <= now && +now - +at < HOUR_MS,
  )
  return wakes
    .map(({ source }) => source)
    .find(
      (source) =>
        source !== undefined &&
        wakes.filter((wake) => wake.source?.id === source.id).length >= WAKES_IN_VAIN,
    )
}
