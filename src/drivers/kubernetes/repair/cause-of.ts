import type { PlaneFault } from '../../../control-plane/driver/repair.ts'
import type { ComponentProblem } from '../context/problem.ts'

/** States that a new pod may repair; a new pod would have all others again. */
const RESTARTED = ['CrashLoopBackOff', 'Error', 'Completed', 'NodeNotReady', 'Unhealthy']

/** Returns the cause and the remedy of a fault from a problem that the host reports. */
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
