import { VplaneError } from '../../../shared/errors.ts'
import type { Plane } from '../../plane/plane.ts'
import type { Survivor } from '../../driver/repair.ts'
import { takeSnapshot } from '../snapshot/create-snapshot.ts'
import { putData, type PutDataOptions } from '../restore/put-data.ts'
import type { RestoreDependencies } from '../restore/restore-control-plane.ts'

export interface SurvivorsOptions extends Pick<
  PutDataOptions,
  'driver' | 'plane' | 'signal' | 'timeoutMs'
> {
  /** The members that have data: one at least. */
  survivors: readonly Survivor[]
  /** It was begun before, and cut off. @default false */
  isUnfinished?: boolean | undefined
}

/** How members that give nothing without a majority get one, in words. */
const REGAIN =
  'start as many of the broken members, on empty volumes, as make a majority with those that have data'

/** What is known of what a survivor has, as it reads after its name. */
export function extentOf({ isWaiting = false, revision }: Survivor): string {
  return isWaiting
    ? `up to revision ${revision} and what else its log holds`
    : `up to revision ${revision}`
}

/** What `restoreFromSurvivors` does, in words. */
export function newClusterSteps({
  isUnfinished,
  survivors,
}: Pick<SurvivorsOptions, 'survivors' | 'isUnfinished'>): string[] {
  const isRegained = needsMajority(survivors, isUnfinished)
  const told = isRegained ? survivors : survivors.slice(0, 1)
  const names = told.map(({ instance }) => instance).join(' or ')
  const extent = told.slice(0, 1).map(extentOf).join()
  return [
    ...(isRegained ? ['stop the plane but etcd', REGAIN] : []),
    `take a snapshot of what ${names} has, ${extent}, and keep it`,
    'stop the plane',
    'start a new etcd with all of its members of that; what each of them has now stays beside it',
  ]
}

/**
 * Gives a plane whose etcd has lost its majority a new etcd of what the member has that knows most, and returns it when it
 * can be used. Revisions go on above all that clients may have seen, as with any restore.
 *
 * @throws {VplaneError} what `regainMajority`, `takeSnapshot` and `putData` throw.
 */
export async function restoreFromSurvivors(
  deps: RestoreDependencies,
  { isUnfinished, survivors, ...options }: SurvivorsOptions,
): Promise<Plane> {
  const { now, ui } = deps
  const { driver, plane, signal, timeoutMs } = options
  const instance = needsMajority(survivors, isUnfinished)
    ? await driver.etcd.regainMajority(plane, { ui, signal, timeoutMs })
    : (survivors[0]?.instance ?? '')
  const snapshots = await deps.openSnapshots()
  const { id = '', revision } = await takeSnapshot(
    { now, snapshots, ui },
    { driver, plane, place: snapshots.kept, instance, signal },
  )
  ui.note(`What ${instance} has is kept as ${id}`)
  await using source = await snapshots.open(id, { passphrase: noPassphrase, signal })
  return await putData(deps, {
    driver,
    plane,
    source,
    revision,
    keepFormer: true,
    timeoutMs,
    signal,
  })
}

/** Who waits for a majority gives nothing before, and who knows most is known then. */
function needsMajority(survivors: readonly Survivor[], isUnfinished: boolean = false): boolean {
  return isUnfinished || survivors.some(({ isWaiting }) => isWaiting)
}

function noPassphrase(): Promise<never> {
  return Promise.reject(new VplaneError('BUG', 'a snapshot without keys asked for a passphrase'))
}
