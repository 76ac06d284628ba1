import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type LeaveRequest, moveOf } from '../../../control-plane/driver/plane-moves.ts'
import { ETCD_CLIENT_NAMES } from '../../../pki/plane/etcd-pki.ts'
import type { StartContext } from '../components/start-context.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import { stopComponents } from '../components/stop-components.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

/**
 * Fences a plane, transfers its data while only etcd runs, and stops etcd. The fence is the record, and the removed
 * certificates of kube-apiserver for etcd. The caller holds the plane's lock.
 *
 * @throws {VplaneError} `FAILED` when its create or a restore is unfinished, and what `transfer` throws.
 */
export async function leavePlane(
  context: StartContext,
  record: PlaneRecord,
  { hasBegun, operation, to, transfer }: LeaveRequest & { operation: HeldOperation },
): Promise<void> {
  const { store } = context
  const former = record.movingTo?.handedTo
  if (former === undefined || !(await hasBegun(former))) {
    await context.findBinaries(record, operation)
    await operation.begin?.('fencing')
    operation.ui.step(`Fencing "${record.name}"`)
    const move = moveOf(record, to)
    const fenced = await store.update({ ...record, desired: 'paused', movingTo: move })
    for (const name of ETCD_CLIENT_NAMES) {
      await rm(join(store.folder(record.name).pki, name), { force: true })
    }
    await stopComponents(context, record.name, operation)
    const readable = await startPlane(context, fenced, { operation, wait: true, only: 'etcd' })
    await transfer(async (handedTo, handed) => {
      await store.update({ ...readable, movingTo: { ...move, handedTo, handed } })
    })
  }
  await stopComponents(context, record.name, operation)
}
