import type { PlaneFault } from '../../../control-plane/driver/repair.ts'
import type { ComponentProblem } from '../context/problem.ts'

/** States that a new pod may repair; others would be the same for a new pod. */
const RESTARTED = ['CrashLoopBackOff', 'Error', 'Completed', 'NodeNotReady', 'Unhealthy']

/** Converts a problem that the host reports to a fault. */
export function causeOf({
  hints,
  reason,
  state,
}: Pick<ComponentProblem, 'hints' | 'reason' | 'state'>): Pick<
  PlaneFault,
  'reason' | 'hints' | 'remedy'
> {
  return { reason, hints, remedy: RESTARTED.includes(state) ? 'restart' : 'none' }
}
