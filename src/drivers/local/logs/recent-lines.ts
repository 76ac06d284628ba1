/** The timestamps of etcd, and of Kubernetes with `--logging-format=json`: in milliseconds since 1970. */
const ISO_TIME =
  /^(?:\{(?:"level":"\w+",)?"ts":")?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(?:Z|[+-]\d\d:?\d\d))/
const EPOCH_TIME = /^\{"ts":(\d+)/
/** The timestamps of Kubernetes: `I1125 13:34:18.662720`, in the time zone of the machine, without a year. */
const KLOG_TIME = /^[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3})/

const DAY_MS = 86_400_000

/** Skips the lines of a log before a time. A line without a timestamp belongs to the line before it. */
export class RecentLines {
  readonly #since: number
  #isReached = false
  /** The start of a line that is not complete yet. */
  #rest = ''

  constructor(since: number) {
    this.#since = since
  }

  /** Returns what is recent of a chunk. */
  take(chunk: string): string {
    if (this.#isReached) {
      return chunk
    }
    const lines = `${this.#rest}${chunk}`.split('\n')
    const first = lines.slice(0, -1).findIndex((line) => this.#isRecent(line))
    this.#isReached = first !== -1
    this.#rest = this.#isReached ? '' : (lines.at(-1) ?? '')
    return this.#isReached ? lines.slice(first).join('\n') : ''
  }

  /** Returns a recent line that has no end, at the end of the log. Everything after it is recent. */
  takeRest(): string {
    const rest = this.#isRecent(this.#rest) ? this.#rest : ''
    this.#rest = ''
    this.#isReached = true
    return rest
  }

  #isRecent(line: string): boolean {
    return (timeOf(line) ?? Number.NEGATIVE_INFINITY) >= this.#since
  }
}

/** The time of a line, in milliseconds since 1970; undefined when it has none. */
function timeOf(line: string): number | undefined {
  const [, iso] = ISO_TIME.exec(line) ?? []
  const [, epoch] = EPOCH_TIME.exec(line) ?? []
  const [, ...klog] = KLOG_TIME.exec(line) ?? []
  if (iso !== undefined) {
    return Date.parse(iso.replace(/(\d\d)(\d\d)$/, '$1:$2'))
  }
  return epoch === undefined ? klogTime(klog) : Number(epoch)
}

function klogTime(numbers: readonly string[], now = new Date()): number | undefined {
  const [month, day, hours, minutes, seconds, ms] = numbers.map(Number)
  if (month === undefined) {
    return undefined
  }
  const inYear = (year: number) =>
    new Date(year, month - 1, day, hours, minutes, seconds, ms).getTime()
  const time = inYear(now.getFullYear())
  // A line of December that is read in January.
  return time > now.getTime() + DAY_MS ? inYear(now.getFullYear() - 1) : time
}
