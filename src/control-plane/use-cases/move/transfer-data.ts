import { VplaneError } from '../../../shared/errors.ts'
import { type DataFingerprint, isSameData } from '../../plane/data-fingerprint.ts'
import type { Operation } from '../../driver/operation.ts'
import type { Plane } from '../../plane/plane.ts'
import type { HandOver } from '../../driver/plane-moves.ts'
import { deleteTransferred } from './delete-transferred.ts'
import { takeSnapshot } from '../snapshot/create-snapshot.ts'
import type { FoundMove } from './find-move.ts'
import type { RestoreDependencies } from '../restore/restore-control-plane.ts'
import { putData } from '../restore/put-data.ts'

export interface TransferOptions {
  move: FoundMove
  /** Stopped, at the new place. */
  arrival: Plane
  handOver: HandOver
  operation: Operation & { timeoutMs: number }
}

/**
 * Moves the data of a fenced plane to its new place, compares all of it, hands the plane over, and returns when the
 * plane can be used there.
 * @throws {VplaneError} `FAILED` when the data or the keys differ, and what the drivers and `waitForAccess` throw.
 */
export async function transferData(
  deps: RestoreDependencies,
  { arrival, handOver, move, operation }: TransferOptions,
): Promise<DataFingerprint> {
  const { now, ui } = deps
  const { source, target } = move
  const { signal, timeoutMs } = operation
  await refuseOtherKeys(move, arrival, signal)
  await deleteTransferred(deps, { plane: source.plane, signal })
  const snapshots = await deps.openSnapshots()
  const place = snapshots.local
  const taken = await takeSnapshot(
    { now, ui, snapshots },
    { ...source, place, reason: 'move', signal },
  )
  const id = taken.id ?? taken.location
  await using stack = new AsyncDisposableStack()
  stack.defer(() => snapshots.delete(id, new AbortController().signal))
  // It is not a bundle, so it has no passphrase.
  const file = stack.use(await snapshots.open(id, { passphrase: async () => '', signal }))
  ui.step('Counting all keys')
  const left = await source.driver.moves.fingerprint(source.plane, signal)
  const untilSound = async () => {
    ui.step(`Comparing ${left.keys} keys`)
    refuseOther(source.plane, left, await target.driver.moves.fingerprint(arrival, signal))
    await handOver(arrival.id, left)
  }
  const data = { source: file, revision: taken.revision, keepFormer: false, untilSound }
  await putData(deps, { driver: target.driver, plane: arrival, ...data, timeoutMs, signal })
  return left
}

/** They may have been rotated between the create at the new place and the fence. */
async function refuseOtherKeys(
  { source, target }: FoundMove,
  arrival: Plane,
  signal: AbortSignal,
): Promise<void> {
  const [left, arrived] = await Promise.all([
    source.driver.keys(source.plane, signal),
    target.driver.keys(arrival, signal),
  ])
  if (Object.keys(left).some((file) => left[file] !== arrived[file])) {
    const { plane } = source
    throw new VplaneError('FAILED', `the keys of "${plane.name}" changed since the move began`, {
      hints: [{ purpose: 'to start again', action: 'move', plane, abort: true }],
    })
  }
}

function refuseOther({ name }: Plane, left: DataFingerprint, arrived: DataFingerprint): void {
  if (!isSameData(left, arrived)) {
    const message = `the data of "${name}" that arrived differs from what left: ${arrived.keys} of ${left.keys} keys, and another hash`
    throw new VplaneError('FAILED', message, {
      hints: ['run the command again: it takes another snapshot'],
    })
  }
}
