import { VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import { encryptionKeyHashes } from '../../components/encryption-configuration.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Plane } from '../../plane/plane.ts'
import type { PodVolume } from '../../driver/plane-pods.ts'
import type {
  AskPassphrase,
  PlaneBundle,
  SnapshotInfo,
  SnapshotPlace,
  Snapshots,
} from '../../driver/snapshot.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { namesOfVolumes } from './lost-volumes.ts'
import { resolvePlane } from '../find/resolve-plane.ts'

const MEBIBYTE = 1024 ** 2

export interface SnapshotDependencies {
  drivers: readonly Driver[]
  /** Loaded when a command has to do with snapshots. */
  openSnapshots: () => Promise<Snapshots>
  ui: Ui
  now: () => Date
}

export interface CreateSnapshotOptions extends PlaneSelector {
  /** A file, or `s3://BUCKET/PREFIX`. @default vplane keeps it on this machine */
  output?: string | undefined
  /** Makes it a bundle: with the keys and the spec of the plane, encrypted. @default data alone */
  passphrase?: AskPassphrase | undefined
  signal: AbortSignal
}

/** A snapshot that was taken. */
export interface TakenSnapshot extends SnapshotInfo {
  /** Path or URL. */
  location: string
  /** Names it in its store; a file has none. */
  id?: string
}

/**
 * Takes a snapshot of a plane that runs, which goes on working meanwhile, and checks that it is what etcd sent.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND`, `UNREACHABLE` and `FAILED` when etcd gives none or it cannot be written.
 */
export async function createSnapshot(
  deps: SnapshotDependencies,
  { output, passphrase, signal, ...selector }: CreateSnapshotOptions,
): Promise<TakenSnapshot> {
  const snapshots = await deps.openSnapshots()
  const place = output === undefined ? snapshots.kept : snapshots.placeOf(output)
  const resolved = await resolvePlane(deps, selector)
  const { now, ui } = deps
  const taken = await takeSnapshot(
    { now, ui, snapshots },
    { ...resolved, place, passphrase, signal },
  )
  if (taken.volumes !== undefined && taken.volumes.length > 0) {
    ui.note(`It does not hold what lies on the volumes of pods: ${namesOfVolumes(taken.volumes)}`)
  }
  return taken
}

export interface TakeOptions {
  driver: Driver
  plane: Plane
  place: SnapshotPlace
  passphrase?: AskPassphrase | undefined
  /** A member of an etcd that has no majority. @default one that is ready */
  instance?: string
  /** What it is taken for: the plane is about to be paused, or brought elsewhere. @default somebody wants one */
  reason?: 'pause' | 'move'
  signal: AbortSignal
}

/** Takes a snapshot of a plane as `createSnapshot` does. */
export async function takeSnapshot(
  { now, snapshots, ui }: Pick<SnapshotDependencies, 'now' | 'ui'> & { snapshots: Snapshots },
  options: TakeOptions,
): Promise<TakenSnapshot> {
  const { driver, instance, place, plane, reason, signal } = options
  const passphrase = await options.passphrase?.()
  ui.step(`Taking a snapshot of "${plane.name}"`)
  const volumes = await driver.pods.volumes(plane)
  const encryptionKeys = await encryptionKeysOf(options)
  const { bytes, revision, sizeBytes } = await driver.snapshot(plane, signal, instance)
  const info: SnapshotInfo = {
    plane: plane.name,
    driver: plane.driver,
    kind: passphrase === undefined ? 'snapshot' : 'bundle',
    ...(plane.namespace === undefined ? {} : { namespace: plane.namespace }),
    ...(reason === 'pause' ? { pauseOf: plane.id } : {}),
    ...(reason === 'move' ? { moveOf: plane.id } : {}),
    planeId: plane.id,
    ...(encryptionKeys === undefined ? {} : { encryptionKeys }),
    createdAt: now(),
    revision,
    sizeBytes,
    volumes,
  }
  const data = snapshots.verified(bytes, `the snapshot of "${plane.name}"`)
  const shown = withProgress(data, { sizeBytes, ui })
  const content =
    passphrase === undefined
      ? shown
      : snapshots.bundled(await bundleOf(options, volumes), shown, passphrase)
  return { ...info, ...(await place.put(info, content, signal)) }
}

/** Hashes of what its Secrets are encrypted with; undefined when that cannot be read, as data is worth a copy then too. */
async function encryptionKeysOf({
  driver,
  plane,
  signal,
}: TakeOptions): Promise<string[] | undefined> {
  try {
    return encryptionKeyHashes(await driver.keys(plane, signal))
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof VplaneError)) {
      throw error
    }
    return undefined
  }
}

/** The same bytes; what has come of them is shown beside the step. */
async function* withProgress(
  bytes: AsyncIterable<Buffer>,
  { sizeBytes, ui }: { sizeBytes: number; ui: Pick<Ui, 'progress'> },
): AsyncGenerator<Buffer, void, void> {
  const total = (sizeBytes / MEBIBYTE).toFixed(1)
  let done = 0
  let said = ''
  for await (const chunk of bytes) {
    yield chunk
    done += chunk.length
    const detail = `${(done / MEBIBYTE).toFixed(1)} of ${total} MiB`
    if (detail !== said) {
      said = detail
      ui.progress(detail)
    }
  }
}

async function bundleOf(
  { driver, plane, signal }: TakeOptions,
  volumes: PodVolume[],
): Promise<PlaneBundle> {
  const { name, spec, userSpec } = plane
  const [keys, addresses] = await Promise.all([
    driver.keys(plane, signal),
    driver.pods.addresses(plane),
  ])
  return { name, spec, userSpec, keys, volumes, addresses }
}
