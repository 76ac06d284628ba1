import type { PlanStep } from '../../../shared/plan-step.ts'
import type { PlaneFault, Survivor } from '../../driver/repair.ts'
import type { Plane } from '../../plane/plane.ts'
import type { ChangeOptions } from '../change/change-control-plane.ts'
import type { ResolvedPlane } from '../find/resolve-plane.ts'

/** A plane that is repaired, with the consent of the user. */
export type Run = ResolvedPlane &
  Pick<ChangeOptions, 'isConfirmed' | 'isDryRun' | 'signal' | 'timeoutMs'>

export interface RepairResult {
  plane: Plane
  faults: PlaneFault[]
  /** Members that have data, when etcd had lost its majority. */
  survivors: Survivor[]
  steps: PlanStep[]
  /** False when nothing was wrong, and in a dry run. */
  isRepaired: boolean
}
