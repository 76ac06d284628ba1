import type { DriverName } from '../spec/driver-name.ts'
import type { PodVolume, ServiceAddress } from './plane-pods.ts'
import type { PlaneSpec, UserSpec } from '../spec/spec.ts'

/** The data of a plane at one moment, as its etcd gives it. */
export interface PlaneData {
  /** Everything up to this revision of etcd is in it. */
  revision: number
  /** Of all of it. */
  sizeBytes: number
  /** The database of etcd, and its SHA-256 as the last 32 bytes: what `etcdctl snapshot save` writes. */
  bytes: AsyncIterable<Buffer>
}

/** What is known of a snapshot beside its bytes. */
export interface SnapshotInfo {
  /** The plane that it is of. */
  plane: string
  driver: DriverName
  /** Whether the keys and the spec of the plane are with it, encrypted. */
  kind: 'snapshot' | 'bundle'
  /** Host namespace of that plane; only with the `kubernetes` driver. */
  namespace?: string
  /** Id of the plane whose schedule took it, and deletes it again. @default somebody took it, who deletes it too */
  backupOf?: string
  /** Id of the plane that was paused after it was taken: of these the newest few stay. @default it was taken otherwise */
  pauseOf?: string
  /** Id of the plane that it is to bring elsewhere: it goes with the end of that move. @default it was taken otherwise */
  moveOf?: string
  /** Id of the plane that it is of. @default it does not say */
  planeId?: string
  /** Hashes of the keys that Secrets in it may be encrypted with. @default it does not say */
  encryptionKeys?: string[]
  createdAt: Date
  /** Everything up to this revision of etcd is in it. */
  revision: number
  sizeBytes: number
  /** The volume claims of the pods that the plane ran: it does not hold what lies on them. @default nobody has looked */
  volumes?: PodVolume[]
}

/** A snapshot in a store. */
export interface StoredSnapshot extends SnapshotInfo {
  /** Names it in its store: `dev-20260102-030405-1a2b`. */
  id: string
}

/** Where a snapshot can be put: a file, or a store. */
export interface SnapshotPlace {
  /**
   * Puts a snapshot there, complete or not at all.
   *
   * @returns where it is: a path or a URL; and its id, where there are several.
   * @throws {VplaneError} `FAILED` when it cannot be written, and what its bytes throw.
   */
  put(
    info: SnapshotInfo,
    bytes: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<{ location: string; id?: string }>
}

/** Several snapshots, of any planes. */
export interface SnapshotStore extends SnapshotPlace {
  /** All of them, the oldest first. */
  list(signal: AbortSignal): Promise<StoredSnapshot[]>
  /**
   * What is known of one.
   *
   * @throws {VplaneError} `NOT_FOUND` when there is none of this id.
   */
  find(id: string, signal: AbortSignal): Promise<StoredSnapshot>
  /**
   * The bytes of one.
   *
   * @throws {VplaneError} `NOT_FOUND` when there is none of this id.
   */
  read(id: string, signal: AbortSignal): Promise<AsyncIterable<Buffer>>
  /**
   * Deletes one.
   *
   * @throws {VplaneError} `NOT_FOUND` when there is none of this id.
   */
  delete(id: string, signal: AbortSignal): Promise<void>
}

/** A snapshot that lies on this machine, verified, until it is disposed. */
export interface SnapshotSource extends AsyncDisposable {
  /** As it reads in a sentence: `the snapshot dev.db`. */
  what: string
  file: string
  /** All else that it takes to make the plane of it, when it is a bundle. */
  bundle?: PlaneBundle
  /** The volume claims whose data it does not hold. @default it does not say */
  volumes?: PodVolume[]
  /** The plane that it is of. @default it does not say */
  plane?: { name: string; id?: string }
  /** Hashes of the keys that Secrets in it may be encrypted with. @default it does not say */
  encryptionKeys?: string[]
}

/** What a plane is beside its data. */
export interface PlaneBundle {
  name: string
  userSpec: UserSpec
  spec: PlaneSpec
  /** Keys and CA certificates by the names of their files. */
  keys: Record<string, string>
  /** The volume claims of its pods, whose data is not in it. @default nobody has looked */
  volumes?: PodVolume[]
  /** The addresses of its Services, where they are those of its host too. @default nobody has looked */
  addresses?: ServiceAddress[]
}

/** Asked for when it is needed: a passphrase. */
export type AskPassphrase = () => Promise<string>

/** What reading and writing snapshots takes; implemented by `backup/`. */
export interface Snapshots {
  /** The snapshots that vplane keeps on this machine. */
  kept: SnapshotStore
  /**
   * The store behind `s3://BUCKET/PREFIX`.
   *
   * @throws {VplaneError} `USAGE` when it names no bucket.
   */
  storeOf(url: string): SnapshotStore
  /**
   * Deletes one: the id of one that vplane keeps, or `s3://BUCKET/PREFIX/ID`.
   *
   * @throws {VplaneError} `NOT_FOUND` when there is none.
   */
  delete(which: string, signal: AbortSignal): Promise<void>
  /** A file, or the store behind `s3://BUCKET/PREFIX`. */
  placeOf(output: string): SnapshotPlace
  /**
   * The snapshot that is meant: a file, the id of one that vplane keeps, or `s3://BUCKET/PREFIX/ID`.
   *
   * @param options.passphrase asked for when it is a bundle.
   * @throws {VplaneError} `NOT_FOUND` when there is none, `FAILED` when it is damaged or the passphrase is wrong.
   */
  open(
    from: string,
    options: { passphrase: AskPassphrase; signal: AbortSignal },
  ): Promise<SnapshotSource>
  /** A snapshot and what it takes to make a plane of it, encrypted with a passphrase. */
  bundled(
    bundle: PlaneBundle,
    snapshot: AsyncIterable<Buffer>,
    passphrase: string,
  ): AsyncIterable<Buffer>
  /** The same bytes, which throw `FAILED` at their end when they are not those that etcd sent. */
  verified(bytes: AsyncIterable<Buffer>, what: string): AsyncIterable<Buffer>
}
