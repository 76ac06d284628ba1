import type { AnyComponentName } from '../../../../control-plane/plane/plane.ts'
import { withoutTraces } from '../../../../shared/text/without-traces.ts'
import type { Crash, Problem } from '../../context/problem.ts'

/**
 * Ends because of other components that do not run yet or are overloaded: kube-apiserver needs etcd,
 * kube-controller-manager needs both, and the rights that kube-apiserver creates a moment after it is ready.
 */
const TRANSIENT = [
  // The connection failed, broke or timed out.
  /context (?:deadline exceeded|canceled)|timed out|i\/o timeout|TLS handshake timeout|leader ?election lost/i,
  /connection re(?:fused|set)|broken pipe|closed network connection|no route to host|network is unreachable/i,
  /no such host|server misbehaving|transport is closing|no available endpoints|\bEOF\b|\bhttp2: /i,
  // They report that they are not ready, or shut down.
  /etcdserver: |too many requests|storage is \(re\)initializing|apiserver not ready|is shutting down/i,
  /unable to (?:handle the request|return a response)|prevented the request from succeeding|internal error occurred/i,
  // The rights do not exist yet. The client reports a refusal that it cannot read as `unknown`:
  // https://github.com/kubernetes/client-go/blob/v0.36.3/rest/request.go#L1343
  /is forbidden: User "system:|provide credentials|(?:^|: )(?:unauthorized|unknown)$/i,
]

/** No connection through a Service, although what is behind it may be ready. */
const UNREACHED =
  /context deadline exceeded|i\/o timeout|no route to host|network is unreachable|no such host|connection refused/i

/** A line of klog, the format of kube-apiserver and kube-controller-manager: level, date, time, thread, place. */
const KLOG = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\] /

/** The time at the start of the syncer's lines. */
const SYNCER = /^\d{4}-\d\d-\d\dT[\d:.]+Z /

/** How often a component may end for such reasons or without a log, and with a log that has no reason. */
const PATIENT_ENDS = 5
const SILENT_ENDS = 3

const SHOWN_LINES = 8

export interface CrashFacts {
  crash: Crash
  lines: readonly string[]
  /** Whether the components that it needs were ready when the ended run started. */
  isServed: boolean
  /** The component that it connects to through a Service. @default none */
  needs?: AnyComponentName | undefined
}

/** Adds the reason in the log to the problem of an ended container, and decides by it whether the problem is final. */
export function crashProblem(
  problem: Problem,
  { crash, isServed, lines, needs }: CrashFacts,
): Problem {
  const logged = withoutTraces(lines).filter((line) => line.trim() !== '')
  const reason = loggedError(logged)
  const log = logged.length === 0 ? {} : { log: logged.slice(-SHOWN_LINES) }
  if (crash.isKilled) {
    // Someone else may have killed it, or its machine, as when memory is short.
    const patience = crash.isProbed ? SILENT_ENDS : PATIENT_ENDS
    return { ...problem, ...log, final: crash.times >= patience }
  }
  if (reason === undefined) {
    // A busy host may return no log, and kube-controller-manager ends without a reason right after a refusal.
    const maySucceed =
      logged.length === 0 || logged.some((line) => /^[EW]\d/.test(line) && isTransient(line))
    const patience = maySucceed ? PATIENT_ENDS : SILENT_ENDS
    return { ...problem, ...log, final: isServed && crash.times >= patience }
  }
  const isCutOff = isServed && crash.times > 1 && UNREACHED.test(reason)
  const cutOff = isCutOff && needs !== undefined ? serviceProblem(needs) : undefined
  return {
    ...problem,
    reason: [problem.reason, reason, ...(cutOff ? [cutOff.reason] : [])].join(': '),
    hints: [...problem.hints, ...(cutOff ? [cutOff.hint] : [])],
    ...log,
    final: !isTransient(reason) || (isServed && crash.times >= PATIENT_ENDS),
  }
}

/** A ready component that another one does not reach. */
function serviceProblem(needed: AnyComponentName) {
  return {
    reason: `${needed} is ready, but is not reached through its Service`,
    hint: 'check kube-proxy, DNS and the NetworkPolicies of the host cluster',
  }
}

function isTransient(text: string): boolean {
  return TRANSIENT.some((pattern) => pattern.test(text))
}

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
    const { error, message, msg = message, ...one }: Record<string, unknown> = JSON.parse(line)
    // kine has other names than etcd.
    const level = one['level'] ?? one['severity']
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
