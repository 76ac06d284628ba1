import { join } from 'node:path'
import { moveOf, type ReturnRequest } from '../../../control-plane/driver/plane-moves.ts'
import { createEtcdClient } from '../../../pki/plane/etcd-pki.ts'
import { writeFile } from '../../../shared/files/write-file.ts'
import type { StartContext } from '../components/start-context.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import { stopComponents } from '../components/stop-components.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import { type PlaneRecord, toRunning } from '../store/plane-record.ts'
import { readPki } from '../certificates/pki-files.ts'

/** Removes a fence when nothing of the plane is left elsewhere; starts it unless paused. The caller holds its lock. */
export async function returnPlane(
  context: StartContext,
  record: PlaneRecord,
  { operation, takeBack, undo }: ReturnRequest & { operation: HeldOperation },
): Promise<void> {
  await operation.begin?.('removing the fence')
  if (record.movingTo?.handedTo !== undefined) {
    await takeBack(record.movingTo)
    // From here on, the other plane may be deleted.
    await context.store.update({ ...record, movingTo: moveOf(record, record.movingTo.to) })
  }
  await undo()
  if (record.movingTo === undefined) {
    return
  }
  await writeEtcdClient(context, record)
  const { movingTo, ...free } = record
  if (movingTo.wasPaused === true) {
    await stopComponents(context, record.name, operation)
    await context.store.update(free)
    return
  }
  const stored = await context.store.update(toRunning(free))
  await startPlane(context, stored, { operation, wait: true })
}

async function writeEtcdClient(
  { now, store }: Pick<StartContext, 'now' | 'store'>,
  { name, spec }: PlaneRecord,
): Promise<void> {
  const { pki } = store.folder(name)
  const files = await readPki(pki)
  const authority = { certificate: files['etcd/ca.crt'] ?? '', key: files['etcd/ca.key'] ?? '' }
  const { algorithm } = spec.pki
  const client = createEtcdClient({ algorithm, authority, now: now() })
  await Promise.all(Object.entries(client).map(([file, text]) => writeFile(join(pki, file), text)))
}
