import type { Operation } from '../../driver/operation.ts'
import { toFinishFirst, type Verb } from '../../operations/answer.ts'
import { describeUnfinished } from '../../operations/unfinished.ts'
import type { ResolvedPlane } from './resolve-plane.ts'

/**
 * Finishes first what a command needs finished and a start can finish: its creation, a change. Says so. Of a paused plane
 * nothing is finished, because that would start it: the command is refused later. In a dry run nothing is either.
 *
 * @throws {VplaneError} what `start` of the driver throws.
 */
export async function finishFirst(
  verb: Verb,
  { driver, plane }: ResolvedPlane,
  { isDryRun = false, ...operation }: Operation & { isDryRun?: boolean | undefined },
): Promise<void> {
  const unfinished = toFinishFirst(verb, plane.unfinished ?? [])
  if (unfinished !== undefined && plane.desired === 'running' && !isDryRun) {
    const what = describeUnfinished(plane, { kind: unfinished })
    operation.ui.note(`${what}: it is finished first`)
    await driver.start(plane, operation)
  }
}
