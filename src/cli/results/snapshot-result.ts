import type { SnapshotInfo } from '../../control-plane/driver/snapshot.ts'

/** A snapshot in `--json` results: part of the contract in schemas/. */
export interface SnapshotResult {
  /** Null when it is a file. */
  id: string | null
  plane: string
  kind: 'snapshot' | 'bundle'
  /** `logical`: all keys, from any store; otherwise the database of etcd. */
  format: 'etcd' | 'logical'
  driver: string
  namespace: string | null
  /** ISO 8601. */
  createdAt: string
  /** Everything up to this revision is in it. */
  revision: number
  sizeBytes: number
  /** Volume claims of the plane's pods, whose data is not in it; null if unknown. */
  volumes: string[] | null
}

/** A snapshot as `--json` shows it. */
export function toSnapshotResult(snapshot: SnapshotInfo & { id?: string }): SnapshotResult {
  const { createdAt, driver, format, id, kind, namespace, plane } = snapshot
  const { revision, sizeBytes, volumes } = snapshot
  return {
    id: id ?? null,
    plane,
    kind,
    format: format ?? 'etcd',
    driver,
    namespace: namespace ?? null,
    createdAt: createdAt.toISOString(),
    revision,
    sizeBytes,
    volumes: volumes?.map(({ name }) => name) ?? null,
  }
}

/** The name of a stored snapshot that other commands take: with its store, if that is not on this machine. */
export function snapshotName(id: string, store: string | undefined): string {
  return store === undefined ? id : `${store.replace(/\/+$/, '')}/${id}`
}
