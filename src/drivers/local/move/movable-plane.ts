import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MovablePlane } from '../../../control-plane/moves/movable-plane.ts'
import { dataFingerprint } from '../../../etcd/data/data-fingerprint.ts'
import { ETCD_CLIENT_NAMES, withEtcdClient } from '../../../pki/plane/etcd-pki.ts'
import { readPki, writePki } from '../certificates/pki-files.ts'
import { localEtcd } from '../components/local-etcd.ts'
import type { StartContext } from '../components/start-context.ts'
import { stopComponents } from '../components/stop-components.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

/** A plane for a part of a move. The caller holds its lock. */
export function movablePlane(
  context: StartContext,
  held: PlaneRecord,
  operation: HeldOperation,
): MovablePlane {
  const { now, store } = context
  const { name } = held
  const { pki } = store.folder(name)
  let record = held
  const stop = () => stopComponents(context, name, operation)
  const start = async (only?: 'store') => {
    const options = { operation, wait: true, ...(only === undefined ? {} : { only }) }
    record = await startPlane(context, record, options)
  }
  return {
    get record() {
      return record
    },
    step: async (step, changes = {}) => {
      await operation.begin?.(step)
      const { restoring, ...fields } = changes
      const waiting = restoring && { restoring: { ...restoring, keepFormer: false } }
      record = await store.update({ ...record, ...fields, ...waiting })
    },
    removeEtcdClient: async () => {
      await Promise.all(ETCD_CLIENT_NAMES.map((file) => rm(join(pki, file), { force: true })))
    },
    createEtcdClient: async () => {
      const files = await readPki(pki)
      const { algorithm } = record.spec.pki
      await writePki(pki, files, withEtcdClient(files, { algorithm, now: now() }))
    },
    startEtcd: () => start('store'),
    stopOthers: async () => {
      await stop()
      await start('store')
    },
    stopEtcd: stop,
    pause: stop,
    start: () => start(),
    fingerprint: async () => dataFingerprint(await localEtcd(context, name), operation.signal),
  }
}
