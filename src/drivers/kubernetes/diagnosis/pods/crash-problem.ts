import { withoutTraces } from '../../../../shared/text/without-traces.ts'
import { lastWordsIn } from './last-words.ts'
import type { Crash, Problem } from '../../context/problem.ts'

/**
 * Ends that come from others who are not there yet, or have too much to do: kube-apiserver needs etcd,
 * kube-controller-manager needs both, and the rights that kube-apiserver gives it a moment after it answers.
 */
const TRANSIENT = [
  // There is no way to them, or it was cut, or nothing came in time.
  /context (?:deadline exceeded|canceled)|timed out|i\/o timeout|TLS handshake timeout|leader ?election lost/i,
  /connection re(?:fused|set)|broken pipe|closed network connection|no route to host|network is unreachable/i,
  /no such host|server misbehaving|transport is closing|no available endpoints|\bEOF\b|\bhttp2: /i,
  // They say that they cannot yet, or no more.
  /etcdserver: |too many requests|storage is \(re\)initializing|apiserver not ready|is shutting down/i,
  /unable to (?:handle the request|return a response)|prevented the request from succeeding|internal error occurred/i,
  // They do not know yet what it may do. `unknown` is the client's word for a refusal that it cannot read:
  // https://github.com/kubernetes/client-go/blob/v0.36.3/rest/request.go#L1343
  /is forbidden: User "system:|provide credentials|(?:^|: )(?:unauthorized|unknown)$/i,
]

/** How often a component may end for such reasons, or where its log cannot be had, and with a log that does not say why. */
const PATIENT_ENDS = 5
const SILENT_ENDS = 3

/** How many lines of its log a problem carries. */
const SHOWN_LINES = 8

export interface CrashFacts {
  crash: Crash
  /** The last lines of its log. */
  lines: readonly string[]
  /** What the component needs was ready when the run began that has ended. */
  isServed: boolean
}

/** The problem of a container that has ended, with the reason in its log, which decides whether it may work later. */
export function crashProblem(problem: Problem, { crash, isServed, lines }: CrashFacts): Problem {
  const words = withoutTraces(lines).filter((line) => line.trim() !== '')
  const said = lastWordsIn(words)
  const log = words.length === 0 ? {} : { log: words.slice(-SHOWN_LINES) }
  if (crash.isKilled) {
    return { ...problem, ...log, final: crash.times >= SILENT_ENDS }
  }
  if (said === undefined) {
    // A busy host does not always return a log, and kube-controller-manager ends without a reason right after a refusal.
    const maySucceed =
      words.length === 0 || words.some((line) => /^[EW]\d/.test(line) && isTransient(line))
    const patience = maySucceed ? PATIENT_ENDS : SILENT_ENDS
    return { ...problem, ...log, final: isServed && crash.times >= patience }
  }
  return {
    ...problem,
    reason: `${problem.reason}: ${said}`,
    ...log,
    final: !isTransient(said) || (isServed && crash.times >= PATIENT_ENDS),
  }
}

function isTransient(words: string): boolean {
  return TRANSIENT.some((pattern) => pattern.test(words))
}
