import type { PlaneFault } from '../../../control-plane/driver/repair.ts'
import type { ComponentProblem } from '../context/problem.ts'

/** What a new pod may put right: all else would be the same for that one. */
const RESTARTED = ['CrashLoopBackOff', 'Error', 'Completed', 'NodeNotReady', 'Unhealthy']

/** What the host says of a component that does not run, as a fault of it. */
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
