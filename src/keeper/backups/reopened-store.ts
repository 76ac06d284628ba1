import type { SnapshotStore } from '../../control-plane/driver/snapshot.ts'

export type BackupStore = Pick<SnapshotStore, 'delete' | 'list' | 'put'>

/** A store that is opened again for each use: its credentials may change. */
export function reopenedStore(open: (signal: AbortSignal) => Promise<BackupStore>): BackupStore {
  return {
    list: async (signal, plane) => (await open(signal)).list(signal, plane),
    delete: async (id, signal) => (await open(signal)).delete(id, signal),
    put: async (info, bytes, signal) => (await open(signal)).put(info, bytes, signal),
  }
}
