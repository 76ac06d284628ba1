import { VplaneError } from '../../shared/errors.ts'
import type { Plane } from '../plane.ts'
import type { Survivor } from '../repair.ts'
import { takeSnapshot } from './create-snapshot.ts'
import { putData, type PutDataOptions } from './put-data.ts'
import type { RestoreDependencies } from './restore-control-plane.ts'

export interface SurvivorOptions extends Pick<
  PutDataOptions,
  'driver' | 'plane' | 'signal' | 'timeoutMs'
> {
  survivor: Survivor
}

/** What `restoreFromSurvivor` does, in words. */
export function newClusterSteps({ instance, revision }: Survivor): string[] {
  return [
    `take a snapshot of what ${instance} has, up to revision ${revision}, and keep it`,
    'stop the plane',
    'start a new etcd with all of its members of that; what each of them has now stays beside it',
  ]
}

/**
 * Gives a plane whose etcd has lost its majority a new etcd of what one member has, and returns it when it can be used.
 * Revisions go on above all that clients may have seen, as with any restore.
 *
 * @throws {VplaneError} what `takeSnapshot` and `putData` throw.
 */
export async function restoreFromSurvivor(
  deps: RestoreDependencies,
  { survivor, ...options }: SurvivorOptions,
): Promise<Plane> {
  const { now, ui } = deps
  const { driver, plane, signal, timeoutMs } = options
  const snapshots = await deps.openSnapshots()
  const { id = '', revision } = await takeSnapshot(
    { now, snapshots, ui },
    { driver, plane, place: snapshots.kept, instance: survivor.instance, signal },
  )
  ui.note(`What ${survivor.instance} has is kept as ${id}`)
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

function noPassphrase(): Promise<never> {
  return Promise.reject(new VplaneError('BUG', 'a snapshot without keys asked for a passphrase'))
}
