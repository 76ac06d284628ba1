import { messageOf } from '../../../shared/errors.ts'
import type { Plane } from '../../plane/plane.ts'
import type { SnapshotDependencies } from '../snapshot/create-snapshot.ts'

/** Deletes the snapshots that interrupted moves of a plane have left on this machine. */
export async function deleteTransferred(
  { openSnapshots, ui }: Pick<SnapshotDependencies, 'openSnapshots' | 'ui'>,
  { plane, signal }: { plane: Plane; signal: AbortSignal },
): Promise<void> {
  try {
    const { local } = await openSnapshots()
    const stored = await local.list(signal, plane.name)
    for (const { id } of stored.filter(({ moveOf }) => moveOf === plane.id)) {
      await local.delete(id, signal)
    }
  } catch (error) {
    signal.throwIfAborted()
    ui.warn(`a snapshot of "${plane.name}" cannot be deleted: ${messageOf(error)}`)
  }
}
