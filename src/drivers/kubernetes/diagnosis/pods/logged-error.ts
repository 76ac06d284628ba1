/** A line of klog, the format of kube-apiserver and kube-controller-manager: level, date, time, thread, place. */
const KLOG = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\] /

/** The time at the start of the syncer's lines. */
const SYNCER = /^\d{4}-\d\d-\d\dT[\d:.]+Z /

/** Returns why a component ended from the last lines of its log; undefined when they have no reason. */
export function loggedError(lines: readonly string[]): string | undefined {
  const last = lines.at(-1)
  return (
    lines.map(fatalError).findLast((error) => error !== undefined) ??
    (last === undefined || isOfLog(last) ? undefined : plainText(last))
  )
}

/** Returns the error in a line whose format shows that it is fatal. */
function fatalError(line: string): string | undefined {
  if (line.startsWith('{')) {
    return fatalJson(line)
  }
  const [prefix = '', level] = KLOG.exec(line) ?? []
  if (level === undefined) {
    const plain = line.replace(SYNCER, '')
    return /^(?:panic|fatal error|error): /i.test(plain) ? plainText(plain) : undefined
  }
  const text = line.slice(prefix.length)
  const [, failure] = /^"command failed" err=("(?:[^"\\]|\\.)*")/.exec(text) ?? []
  if (failure !== undefined) {
    return unquoted(failure)
  }
  return level === 'F' ? text : undefined
}

function fatalJson(line: string): string | undefined {
  try {
    const { error, level, msg }: Record<string, unknown> = JSON.parse(line)
    const isFatal = level === 'fatal' || level === 'panic'
    return isFatal ? [msg, error].filter((part) => typeof part === 'string').join(': ') : undefined
  } catch {
    // A truncated line, or not a line of etcd.
    return undefined
  }
}

/** A line in another format was written before the log started, or by the container runtime. */
function isOfLog(line: string): boolean {
  return line.startsWith('{') || KLOG.test(line)
}

function plainText(line: string): string | undefined {
  const text = line.trim().replace(/^error: /i, '')
  return text === '' ? undefined : text
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return text.slice(1, -1)
  }
}
