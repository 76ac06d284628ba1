import { kubectl } from '../../context/kubectl-hint.ts'
import type { Pod } from '../../host/host-pod.ts'
import type { Problem, ProblemContext } from '../../context/problem.ts'

/** So many pods one after the other are no accident. */
const PATIENT_PODS = 3

/**
 * Why a pod was ended for good: evicted, or not taken by its node. The host makes another; `times` is how many have
 * ended so up to now.
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
