/** A line of klog, in which kube-apiserver and kube-controller-manager write: level, date, time, thread, place. */
const KLOG = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\] /

/** What the lines of the syncer begin with: the time. */
const SYNCER = /^\d{4}-\d\d-\d\dT[\d:.]+Z /

/** Why a component says it ended, from the last lines of its log; undefined when it does not say. */
export function lastWordsIn(lines: readonly string[]): string | undefined {
  const last = lines.at(-1)
  return (
    lines.map(fatalWords).findLast((words) => words !== undefined) ??
    (last === undefined || isOfLog(last) ? undefined : plainWords(last))
  )
}

/** Lines that say by their form that nothing comes after them. */
function fatalWords(line: string): string | undefined {
  if (line.startsWith('{')) {
    return fatalJson(line)
  }
  const [prefix = '', level] = KLOG.exec(line) ?? []
  if (level === undefined) {
    const plain = line.replace(SYNCER, '')
    return /^(?:panic|fatal error|error): /i.test(plain) ? plainWords(plain) : undefined
  }
  const words = line.slice(prefix.length)
  const [, failure] = /^"command failed" err=("(?:[^"\\]|\\.)*")/.exec(words) ?? []
  if (failure !== undefined) {
    return unquoted(failure)
  }
  return level === 'F' ? words : undefined
}

/** A line of etcd. */
function fatalJson(line: string): string | undefined {
  try {
    const { error, level, msg }: Record<string, unknown> = JSON.parse(line)
    const isFatal = level === 'fatal' || level === 'panic'
    return isFatal ? [msg, error].filter((part) => typeof part === 'string').join(': ') : undefined
  } catch {
    // Cut off, or not of etcd.
    return undefined
  }
}

/** What is written in another form than the log's was written before there was a log, or by the container runtime. */
function isOfLog(line: string): boolean {
  return line.startsWith('{') || KLOG.test(line)
}

function plainWords(line: string): string | undefined {
  const words = line.trim().replace(/^error: /i, '')
  return words === '' ? undefined : words
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return text.slice(1, -1)
  }
}
