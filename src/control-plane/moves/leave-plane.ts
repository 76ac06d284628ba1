import type { Operation } from '../driver/operation.ts'
import { type LeaveRequest, moveOf } from '../driver/plane-moves.ts'
import type { MovablePlane } from './movable-plane.ts'

/**
 * Fences a plane, transfers its data while only etcd runs, and stops etcd. The fence is the record, and that
 * kube-apiserver has no certificate for etcd any more.
 *
 * @throws {VplaneError} what `transfer` throws.
 */
export async function leavePlane(
  held: MovablePlane,
  { hasBegun, to, transfer }: LeaveRequest,
  { ui }: Pick<Operation, 'ui'>,
): Promise<void> {
  const { record } = held
  const former = record.movingTo?.handedTo
  if (former === undefined || !(await hasBegun(former))) {
    ui.step(`Fencing "${record.name}"`)
    const move = moveOf(record, to)
    await held.step('fencing', { desired: 'paused', movingTo: move })
    // First: what another client starts while others end must not get them.
    await held.removeEtcdClient()
    await held.stopOthers()
    // etcd of a paused plane does not run.
    await held.startEtcd()
    await held.step('transferring its data')
    await transfer((handedTo, handed) =>
      held.step('handed over', { movingTo: { ...move, handedTo, handed } }),
    )
  }
  await held.stopEtcd()
}
