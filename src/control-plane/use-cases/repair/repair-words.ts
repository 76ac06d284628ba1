import type { PlaneFault, Remedy } from '../../driver/repair.ts'

/** Formats the faults that were found for people. */
export function faultLines(faults: readonly PlaneFault[]): string[] {
  return ['Found:', ...faults.map(({ instance, reason }) => `  ${instance}: ${reason}`)]
}

/** Describes what a repair does, in order. */
export function repairSteps(faults: readonly PlaneFault[]): string[] {
  return STEPS.flatMap(([remedy, step]) => [
    ...new Set(faults.filter((fault) => fault.remedy === remedy).map(step)),
  ])
}

const STEPS: ReadonlyArray<readonly [Remedy, (fault: PlaneFault) => string]> = [
  ['start', ({ instance }) => `put back and start ${instance}`],
  ['restart', ({ instance }) => `restart ${instance}`],
  ['remove', ({ instance }) => `remove ${instance} from etcd`],
  ['replace', ({ instance }) => `replace the data of ${instance} by that of the other members`],
  ['free-space', () => 'compact etcd, defragment each member, and disarm the alarm'],
  ['disarm', () => 'disarm the alarms of etcd'],
]
