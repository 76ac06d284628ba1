import { formatAge } from '../../shared/format-age.ts'
import type { Plane } from '../plane.ts'
import type { PlaneFault, Remedy } from '../repair.ts'
import { wordsOf } from './plane-words.ts'
import type { RestoreDependencies } from './restore-control-plane.ts'

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

/** How to get the data of a plane from a snapshot: how old the newest is that is kept, and the command. */
export async function restoreWay(
  { now, openSnapshots }: Pick<RestoreDependencies, 'openSnapshots' | 'now'>,
  plane: Plane,
  signal: AbortSignal,
): Promise<string> {
  const { kept } = await openSnapshots()
  const newest = (await kept.list(signal)).findLast(
    (one) =>
      one.kind === 'snapshot' &&
      one.plane === plane.name &&
      one.driver === plane.driver &&
      one.namespace === plane.namespace,
  )
  const command = (from: string) => `vplane restore ${wordsOf(plane)} --force --from ${from}`
  return newest === undefined
    ? `restore it, though no snapshot of it is kept here: ${command('SNAPSHOT')}`
    : `restore what it was ${formatAge(newest.createdAt, now())} ago: ${command(newest.id)}`
}
