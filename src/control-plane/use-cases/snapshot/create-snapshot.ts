import { VplaneError } from '../../../shared/errors.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import type { Hint } from '../../../shared/hint.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { Driver } from '../../driver/driver.ts'
import type { PodVolume } from '../../driver/plane-pods.ts'
import type {
  AskPassphrase,
  PlaneBundle,
  SnapshotFormat,
  SnapshotInfo,
  SnapshotPlace,
  Snapshots,
} from '../../driver/snapshot.ts'
import { refuseWithout } from '../../store/store.ts'
import type { PlaneSelector } from '../find/find-planes.ts'
import { knownEncryptionKeys } from './known-encryption-keys.ts'
import { namesOfVolumes } from './lost-volumes.ts'
import { refuseNeverStarted } from '../find/refuse-while-paused.ts'
import { type ResolvedPlane, resolvePlane } from '../find/resolve-plane.ts'

const MEBIBYTE = 1024 ** 2

export interface SnapshotDependencies {
  drivers: readonly Driver[]
  openSnapshots: () => Promise<Snapshots>
  ui: Ui
  now: () => Date
}

export interface CreateSnapshotOptions extends PlaneSelector {
  /** A file, or `s3://BUCKET/PREFIX`. @default vplane stores it on this machine */
  output?: string | undefined
  /** Overwrite the file `output` if it exists. @default false */
  force?: boolean | undefined
  /** Makes it a bundle: with the keys and the spec of the plane, encrypted. @default it has only the data */
  passphrase?: AskPassphrase | undefined
  /** @default that of the store */
  format?: SnapshotFormat | undefined
  signal: AbortSignal
}

export interface TakenSnapshot extends SnapshotInfo {
  /** Path or URL. */
  location: string
  /** Its id in its store; a file has none. */
  id?: string
}

/**
 * Takes a snapshot of a running plane without interrupting it, and verifies its bytes.
 * @throws {VplaneError} `CONFLICT` when the file exists, `CONTROL_PLANE_NOT_FOUND`, `UNREACHABLE`, `UNSUPPORTED` when its
 * store has no snapshots, and `FAILED` when the store sends none or it cannot be written.
 */
export async function createSnapshot(
  deps: SnapshotDependencies,
  { force, format, output, passphrase, signal, ...selector }: CreateSnapshotOptions,
): Promise<TakenSnapshot> {
  const snapshots = await deps.openSnapshots()
  const place = output === undefined ? snapshots.local : snapshots.placeOf(output, { force })
  const resolved = await resolvePlane(deps, selector)
  refuseWithout(resolved.plane, 'snapshots')
  refuseNeverStarted(resolved.plane)
  const { now, ui } = deps
  const taken = await takeSnapshot(
    { now, ui, snapshots },
    { ...resolved, format, place, passphrase, signal },
  )
  if (taken.volumes !== undefined && taken.volumes.length > 0) {
    ui.note(`It does not contain the data on volumes of pods: ${namesOfVolumes(taken.volumes)}`)
  }
  return taken
}

export interface TakeOptions extends ResolvedPlane {
  place: SnapshotPlace
  passphrase?: AskPassphrase | undefined
  /** A member of an etcd without a majority. @default one that is ready */
  instance?: string
  /** @default that of the store */
  format?: SnapshotFormat | undefined
  /** Why it is taken: before a pause or for a move. @default the user wants it */
  reason?: 'pause' | 'move'
  signal: AbortSignal
}

/** @throws {VplaneError} as `takeSnapshot`, with the consequence and the hint. */
export async function takeSnapshotFirst(
  deps: Parameters<typeof takeSnapshot>[0],
  options: TakeOptions,
  { consequence, hint }: { consequence: string; hint: Hint },
): Promise<TakenSnapshot> {
  try {
    return await takeSnapshot(deps, options)
  } catch (error) {
    options.signal.throwIfAborted()
    if (!(error instanceof VplaneError)) {
      throw error
    }
    const { cause, code, message } = error
    const what = `cannot take a snapshot of "${options.plane.name}", so ${consequence}`
    throw new VplaneError(code, `${what}: ${message}`, { hints: [hint], cause })
  }
}

/** Takes a snapshot of a plane as `createSnapshot` does. */
export async function takeSnapshot(
  { now, snapshots, ui }: Pick<SnapshotDependencies, 'now' | 'ui'> & { snapshots: Snapshots },
  options: TakeOptions,
): Promise<TakenSnapshot> {
  const { driver, format, instance, place, plane, reason, signal } = options
  const passphrase = await options.passphrase?.()
  ui.step(`Taking a snapshot of "${plane.name}"`)
  const volumes = await driver.pods.volumes(plane)
  const encryptionKeys = await knownEncryptionKeys(driver, plane, signal)
  const bundle = passphrase === undefined ? undefined : await bundleOf(options, volumes)
  const wanted = omitUndefined({ format, instance })
  await using data = await driver.snapshot(plane, signal, wanted)
  const { bytes, revision, sizeBytes } = data
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
    ...omitUndefined({ format: data.format }),
    sizeBytes,
    volumes,
  }
  const verified = snapshots.verified(bytes, `the snapshot of "${plane.name}"`)
  const reported = withProgress(verified, { sizeBytes, ui })
  const content =
    passphrase === undefined || bundle === undefined
      ? reported
      : snapshots.bundled(bundle, reported, passphrase)
  return { ...info, ...(await place.put(info, content, signal)) }
}

/** Shows their amount beside the step. */
async function* withProgress(
  bytes: AsyncIterable<Buffer>,
  { sizeBytes, ui }: { sizeBytes: number; ui: Pick<Ui, 'progress'> },
): AsyncGenerator<Buffer, void, void> {
  const total = (sizeBytes / MEBIBYTE).toFixed(1)
  let done = 0
  let shown = ''
  for await (const chunk of bytes) {
    yield chunk
    done += chunk.length
    const detail = `${(done / MEBIBYTE).toFixed(1)} of ${total} MiB`
    if (detail !== shown) {
      shown = detail
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
