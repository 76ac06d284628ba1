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

const REGAIN =
  'start broken members on empty volumes, until they and those that have data are a majority'

/** Describes how much data a survivor has, for the end of a sentence. */
export function extentOf({ isWaiting = false, revision }: Survivor): string {
  return `up to revision ${revision}${isWaiting ? ' and what else its log contains' : ''}`
}

/** Describes what `restoreFromSurvivors` does. */
export function newClusterSteps(options: Survivors): string[] {
  const { survivors } = options
  const isRegained = needsMajority(options)
  const sources = isRegained ? survivors : survivors.slice(0, 1)
  const names = sources.map(({ instance }) => instance).join(' or ')
  const extent = sources.slice(0, 1).map(extentOf).join()
  return [
    ...(isRegained ? ['stop all components but etcd', REGAIN] : []),
    `take a snapshot of ${names}, ${extent}, and keep it`,
    'stop the plane',
    'start a new etcd with all of its members from that; the current data of each member is kept beside it',
  ]
}

/**
 * Starts a new etcd for a plane whose etcd has lost its majority, from the member with the latest data, and returns the
 * plane when it can be used. As with any restore, revisions continue above all that clients may have seen.
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
  await using source = await snapshots.open(id, { passphrase: noPassphrase, signal })
  const target = { driver, plane, timeoutMs, signal }
  return await putData(deps, { ...target, source, revision, keepFormer: true })
}

/** Members that wait for a majority send no data before, and only then is it known which has the latest. */
function needsMajority({ isUnfinished = false, survivors }: Survivors): boolean {
  return isUnfinished || survivors.some(({ isWaiting }) => isWaiting)
}

function noPassphrase(): Promise<never> {
  return Promise.reject(new VplaneError('BUG', 'a snapshot without keys asked for a passphrase'))
}
