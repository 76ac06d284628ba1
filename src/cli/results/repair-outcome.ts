import type { PlanStep } from '../../shared/plan-step.ts'
import type { Remedy } from '../../control-plane/driver/repair.ts'
import type { RepairResult } from '../../control-plane/use-cases/repair/repair-run.ts'
import { type PlaceResult, toPlaceResult } from './place-result.ts'

/** What was wrong with a plane and what was done about it, in `--json` results: part of the contract in schemas/. */
export interface RepairOutcome extends PlaceResult {
  name: string
  /** False when nothing was wrong, and with --dry-run. */
  repaired: boolean
  faults: Array<{
    component: string
    /** A pod, a process, or the component as a whole. */
    instance: string
    reason: string
    remedy: Remedy
  }>
  /** Members of an etcd that has lost its majority that have data, the one that knows most first. */
  survivors: Array<{ instance: string; revision: number }>
  /** What was done, or would be, in its order. */
  steps: PlanStep[]
}

/** A repair as `--json` shows it. */
export function toRepairOutcome(result: RepairResult): RepairOutcome {
  const { faults, isRepaired, plane, steps, survivors } = result
  return {
    name: plane.name,
    ...toPlaceResult(plane),
    repaired: isRepaired,
    faults: faults.map(({ component, instance, reason, remedy }) => ({
      component,
      instance,
      reason,
      remedy,
    })),
    survivors: survivors.map(({ instance, revision }) => ({ instance, revision })),
    steps,
  }
}

/** What became of a plane, in one sentence. */
export function repairSentence({ faults, isRepaired, plane }: RepairResult): string {
  if (isRepaired) {
    return `Repaired "${plane.name}"; it is ready.`
  }
  if (plane.desired === 'paused') {
    return `"${plane.name}" is paused.`
  }
  return faults.length === 0 ? `Nothing is wrong with "${plane.name}".` : 'Nothing was changed.'
}
