import type { Operation } from '../driver/operation.ts'
import { moveOf, type ReturnRequest } from '../driver/plane-moves.ts'
import type { MovablePlane } from './movable-plane.ts'

/** Removes a fence when nothing of the plane is left elsewhere; starts it unless it was paused. */
export async function returnPlane(
  held: MovablePlane,
  { takeBack, undo }: ReturnRequest,
  { ui }: Pick<Operation, 'ui'>,
): Promise<void> {
  const { movingTo, spec } = held.record
  if (movingTo?.handedTo !== undefined) {
    await takeBack(movingTo)
    // From here on, the other plane may be deleted.
    await held.step('taking it back', { movingTo: moveOf(held.record, movingTo.to) })
  }
  await undo()
  if (movingTo === undefined) {
    return
  }
  await held.step('removing the fence')
  await held.createEtcdClient()
  if (movingTo.wasPaused === true) {
    await held.pause()
    await held.step('leaving it paused', { movingTo: undefined })
    return
  }
  // What another client started behind the fence does not run, and would retry only after a while.
  await held.stopOthers()
  await held.step('starting', { desired: 'running', idleSince: undefined, movingTo: undefined })
  ui.step(`Starting Kubernetes ${spec.version}`)
  await held.start()
}
