import { kubectl } from '../../context/kubectl-hint.ts'
import type { Pod } from '../../host/host-pod.ts'
import type { Problem, ProblemContext } from '../../context/problem.ts'

/** After this many failed pods the problem is final. */
const PATIENT_PODS = 3

/**
 * Returns why a pod failed: its node evicted or rejected it. The host creates another one.
 *
 * @param times how many pods have failed so far
 */
export function endedProblem(
  { metadata, status }: Pod,
  times: number,
  context: ProblemContext,
): Problem {
  const { message = '', reason = 'Failed' } = status ?? {}
  const why = message.trim().replace(/\.$/, '')
  return {
    state: reason,
    reason: `its node has ended pod "${metadata.name}": ${why === '' ? reason : why}`,
    hints: [kubectl(context, `describe pod ${metadata.name}`)],
    final: times >= PATIENT_PODS,
  }
}
