import type { PlanStep } from '../../../shared/plan-step.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Plane } from '../../plane/plane.ts'
import type { Survivor } from '../../driver/repair.ts'
import { takeSnapshot } from '../snapshot/create-snapshot.ts'
import { putData, type PutDataOptions } from '../restore/put-data.ts'
import type { RestoreDependencies } from '../restore/restore-control-plane.ts'

export type SurvivorsOptions = Survivors &
  Pick<PutDataOptions, 'driver' | 'plane' | 'signal' | 'timeoutMs'>

interface Survivors {
  /** The members that have data: one at least. */
  survivors: readonly Survivor[]
  /** An earlier call was interrupted. @default false */
  isUnfinished?: boolean | undefined
}

/** Describes how much data a survivor has, for the end of a sentence. */
export function extentOf({ isWaiting = false, revision }: Survivor): string {
  return `up to revision ${revision}${isWaiting ? ' and what else its log contains' : ''}`
}

/** Returns what `restoreFromSurvivors` does. */
export function newClusterSteps(options: Survivors): PlanStep[] {
  const { survivors } = options
  const isRegained = needsMajority(options)
  const sources = isRegained ? survivors : survivors.slice(0, 1)
  const { isWaiting: more = false, revision = 0 } = sources[0] ?? {}
  const members = sources.map(({ instance }) => instance)
  return [
    ...(isRegained
      ? [{ action: 'stop-others' } as const, { action: 'regain-majority' } as const]
      : []),
    { action: 'save-survivor', members, revision, more },
    { action: 'stop-components' },
    { action: 'start-new-etcd' },
  ]
}

/**
 * Starts a new etcd for a plane whose etcd has lost its majority, from the member with the latest data, and returns the
 * plane when it can be used. As with any restore, revisions continue above all that clients may have seen.
 *
 * @throws {VplaneError} `NEEDS_ATTENTION` when the data that was shown does not exist any more: nothing is replaced then.
 */
export async function restoreFromSurvivors(
  deps: RestoreDependencies,
  options: SurvivorsOptions,
): Promise<Plane> {
  const { now, ui } = deps
  const { driver, plane, signal, timeoutMs } = options
  const instance = needsMajority(options)
    ? await driver.etcd.regainMajority(plane, { ui, signal, timeoutMs })
    : (options.survivors[0]?.instance ?? '')
  const snapshots = await deps.openSnapshots()
  const { id = '', revision } = await takeSnapshot(
    { now, snapshots, ui },
    { driver, plane, place: snapshots.local, instance, signal },
  )
  ui.note(`The data of ${instance} is stored as snapshot ${id}`)
  const [shown] = options.survivors
  if (shown !== undefined && revision < shown.revision) {
    const message = `${instance} has data up to revision ${revision}, not ${shown.revision} as ${shown.instance} had`
    throw new VplaneError('NEEDS_ATTENTION', message, {
      hints: [{ purpose: 'to see what is left', action: 'repair', plane }],
    })
  }
  await using source = await snapshots.open(id, { passphrase: noPassphrase, signal })
  const target = { driver, plane, timeoutMs, signal }
  return await putData(deps, { ...target, source, revision, keepFormer: true })
}

/** Members that wait for a majority send no data before, and only then is it known which has the latest. */
function needsMajority({ isUnfinished = false, survivors }: Survivors): boolean {
  return isUnfinished || survivors.some(({ isWaiting }) => isWaiting)
}

/** For a snapshot that is not a bundle. */
export function noPassphrase(): Promise<never> {
  return Promise.reject(new VplaneError('BUG', 'a snapshot without keys asked for a passphrase'))
}
