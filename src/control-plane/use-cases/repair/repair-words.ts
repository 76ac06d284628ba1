import type { PlaneFault, Remedy } from '../../driver/repair.ts'

/** What was found, as people read it. */
export function faultLines(faults: readonly PlaneFault[]): string[] {
  return ['Found:', ...faults.map(({ instance, reason }) => `  ${instance}: ${reason}`)]
}

/** What is done about it, in its order. */
export function repairSteps(faults: readonly PlaneFault[]): string[] {
  return STEPS.flatMap(([remedy, step]) => [
    ...new Set(faults.filter((fault) => fault.remedy === remedy).map(step)),
  ])
}

const STEPS: ReadonlyArray<readonly [Remedy, (fault: PlaneFault) => string]> = [
  ['start', ({ instance }) => `put back and start ${instance}`],
  ['restart', ({ instance }) => `restart ${instance}`],
  ['remove', ({ instance }) => `take ${instance} out of etcd`],
  [
    'replace',
    ({ instance }) => `give ${instance} the data of the other members, in place of its own`,
  ],
  ['free-space', () => 'compact etcd, defragment each member, and end the alarm'],
]
