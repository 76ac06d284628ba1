import { isDeepStrictEqual } from 'node:util'
import type { PlanStep } from '../../../shared/plan-step.ts'
import type { PlaneFault, Remedy } from '../../driver/repair.ts'

/** Formats the faults that were found for people. */
export function faultLines(faults: readonly PlaneFault[]): string[] {
  return ['Found:', ...faults.map(({ instance, reason }) => `  ${instance}: ${reason}`)]
}

/** Returns what a repair does, in order. */
export function repairSteps(faults: readonly PlaneFault[]): PlanStep[] {
  return STEPS.flatMap(([remedy, stepOf]) => {
    const steps = faults.filter((fault) => fault.remedy === remedy).map(stepOf)
    return steps.filter(
      (step, index) => steps.findIndex((other) => isDeepStrictEqual(other, step)) === index,
    )
  })
}

const STEPS: ReadonlyArray<readonly [Remedy, (fault: PlaneFault) => PlanStep]> = [
  ['start', ({ instance }) => ({ action: 'start-instance', instance })],
  ['restart', ({ instance }) => ({ action: 'restart-instance', instance })],
  ['remove', ({ instance }) => ({ action: 'remove-member', member: instance, withVolume: false })],
  ['replace', ({ instance }) => ({ action: 'replace-data', member: instance })],
  ['free-space', () => ({ action: 'free-space' })],
  ['disarm', () => ({ action: 'disarm-alarms' })],
]
