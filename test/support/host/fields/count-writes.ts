import { setTimeout as delay } from 'node:timers/promises'

/** The values of counters by their series. */
type Counters = ReadonlyMap<string, number>

const COUNTER = /^apiserver_request_total(\{.*\}) (\S+)$/gm
const WRITES = /verb="(APPLY|DELETE|DELETECOLLECTION|PATCH|POST|PUT)"/

/** How often writes were requested of an API server, also refused ones and those that change nothing, by its metrics. */
export function countWrites(metrics: string, isCounted: (series: string) => boolean): Counters {
  const series = [...metrics.matchAll(COUNTER)].filter(
    ([, labels = '']) => WRITES.test(labels) && isCounted(labels),
  )
  return new Map(series.map(([, labels = '', value]) => [labels, Number(value)]))
}

interface Quiet {
  /** How soon the last write has to be over, in milliseconds. */
  withinMs: number
  /** How long nobody must write then, in milliseconds. */
  forMs: number
}

const POLL_MS = 500

/** Returns when nobody has written for some time. @throws {Error} with the series that still count when it is late. */
export async function untilQuiet(
  read: () => Promise<Counters>,
  { forMs, withinMs }: Quiet,
): Promise<void> {
  const startedAt = performance.now()
  let known = await read()
  let since = performance.now()
  while (performance.now() - since < forMs) {
    await delay(POLL_MS)
    const counters = await read()
    const written = [...counters].filter(([series, value]) => known.get(series) !== value)
    if (written.length > 0) {
      known = counters
      since = performance.now()
    }
    if (written.length > 0 && since - startedAt > withinMs) {
      const lines = written.map(([series]) => series).join('\n')
      throw new Error(`still written after ${withinMs} ms:\n${lines}`)
    }
  }
}
