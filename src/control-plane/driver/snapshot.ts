import type { DriverName } from '../spec/driver-name.ts'
import type { PodVolume, ServiceAddress } from './plane-pods.ts'
import type { PlaneSpec, UserSpec } from '../spec/spec.ts'

/**
 * `etcd`: the database of etcd, followed by its SHA-256 of 32 bytes, as `etcdctl snapshot save` writes it. `logical`: all
 * keys of any store at one revision, in vplane's own format.
 */
export type SnapshotFormat = 'etcd' | 'logical'

/** The data of a plane at one moment. What holds it is given back when it is disposed, whether its bytes were read or not. */
export interface PlaneData extends AsyncDisposable {
  /** The latest etcd revision that it contains. */
  revision: number
  sizeBytes: number
  /** @default etcd */
  format?: SnapshotFormat
  bytes: AsyncIterable<Buffer>
}

export interface WantedSnapshot {
  /** Of an etcd without a majority. @default one that is ready */
  instance?: string
  /** @default that of the store */
  format?: SnapshotFormat
}

export interface SnapshotInfo {
  plane: string
  driver: DriverName
  /** A bundle also contains the keys and the spec of the plane, encrypted. */
  kind: 'snapshot' | 'bundle'
  /** Host namespace of that plane; only with the `kubernetes` driver. */
  namespace?: string
  /** Id of the plane whose backup schedule took it and will delete it. @default it is not a backup */
  backupOf?: string
  /** Id of the plane that was then paused; the newest few of these are kept. @default not taken by a pause */
  pauseOf?: string
  /** Id of the plane that is moved with it; it is deleted at the end of that move. @default not taken by a move */
  moveOf?: string
  /** Id of its plane. @default unknown */
  planeId?: string
  /** Hashes of the keys that can decrypt its Secrets. @default unknown */
  encryptionKeys?: string[]
  createdAt: Date
  /** The latest revision that it contains. */
  revision: number
  /** @default etcd */
  format?: SnapshotFormat
  sizeBytes: number
  /** The claims of the plane's pods, whose data it does not contain. @default unknown */
  volumes?: PodVolume[]
}

export interface StoredSnapshot extends SnapshotInfo {
  /** Unique in its store: `dev-20260102-030405-1a2b`. */
  id: string
}

/** The destination of a snapshot: a file or a store. */
export interface SnapshotPlace {
  /**
   * Writes a snapshot, or leaves nothing behind; returns its path or URL, and its id in a store.
   * @throws {VplaneError} `FAILED` when it cannot be written, and the errors of its bytes.
   */
  put(
    info: SnapshotInfo,
    bytes: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<{ location: string; id?: string }>
}

/** The snapshots of any planes. Methods with an id throw `NOT_FOUND` when no snapshot has it. */
export interface SnapshotStore extends SnapshotPlace {
  /** All snapshots, or those of `plane`, of which only the records are read; the oldest first. */
  list(signal: AbortSignal, plane?: string): Promise<StoredSnapshot[]>
  find(id: string, signal: AbortSignal): Promise<StoredSnapshot>
  /** Whether it exists, also if its description cannot be read. */
  has(id: string, signal: AbortSignal): Promise<boolean>
  read(id: string, signal: AbortSignal): Promise<AsyncIterable<Buffer>>
  delete(id: string, signal: AbortSignal): Promise<void>
}

/** A verified snapshot on this machine, until it is disposed. */
export interface SnapshotSource extends AsyncDisposable {
  /** Its description in a sentence: `the snapshot dev.db`. */
  what: string
  /** How a user names it: its absolute path, its id on this machine, or its URL. */
  from: string
  file: string
  /** @default etcd */
  format?: SnapshotFormat
  /** Only if it is a bundle. */
  bundle?: PlaneBundle
  /** The claims of the plane's pods, whose data it does not contain. @default unknown */
  volumes?: PodVolume[]
  /** Its plane. @default unknown */
  plane?: { name: string; id?: string }
  /** Hashes of the keys that can decrypt its Secrets. @default unknown */
  encryptionKeys?: string[]
}

/** The content of a bundle, without the data of the plane. */
export interface PlaneBundle {
  name: string
  userSpec: UserSpec
  spec: PlaneSpec
  /** Keys and CA certificates by the names of their files. */
  keys: Record<string, string>
  /** The claims of the plane's pods, whose data it does not contain. @default unknown */
  volumes?: PodVolume[]
  /** The addresses of Services that a host shares with the plane. @default unknown */
  addresses?: ServiceAddress[]
}

export type AskPassphrase = () => Promise<string>

/** Reads and writes snapshots; implemented by `backup/`. */
export interface Snapshots {
  local: SnapshotStore
  /** The store at `s3://BUCKET/PREFIX`. @throws {VplaneError} `USAGE` when it names no bucket. */
  storeOf(url: string): SnapshotStore
  /** Whether one exists that `delete` can delete. */
  has(which: string, signal: AbortSignal): Promise<boolean>
  /** Deletes the id, or `s3://BUCKET/PREFIX/ID`. @throws {VplaneError} `NOT_FOUND`. */
  delete(which: string, signal: AbortSignal): Promise<void>
  /** A file, or the store behind `s3://BUCKET/PREFIX`; `force` overwrites a file. @throws {VplaneError} `CONFLICT`. */
  placeOf(output: string, options?: { force?: boolean | undefined }): SnapshotPlace
  /**
   * Opens a file, the snapshot with an id on this machine, or one at `s3://BUCKET/PREFIX/ID`; asks only for the
   * passphrase of a bundle.
   * @throws {VplaneError} `NOT_FOUND` when it does not exist, `FAILED` when it is damaged or the passphrase is wrong.
   */
  open(
    from: string,
    options: { passphrase: AskPassphrase; signal: AbortSignal },
  ): Promise<SnapshotSource>
  /** Combines a snapshot with the rest of a bundle, encrypted with a passphrase. */
  bundled(
    bundle: PlaneBundle,
    snapshot: AsyncIterable<Buffer>,
    passphrase: string,
  ): AsyncIterable<Buffer>
  /** Returns the same bytes, but throws `FAILED` at their end if they differ from what was sent. */
  verified(bytes: AsyncIterable<Buffer>, what: string): AsyncIterable<Buffer>
}
