import { verifiedSnapshot } from '../../backup/verify-snapshot.ts'
import type { BackupSpec } from '../../control-plane/spec/fields/backup-spec.ts'
import type { BackupStatus } from '../../control-plane/status/backup-status.ts'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import type { PodVolume } from '../../control-plane/driver/plane-pods.ts'
import type {
  PlaneData,
  SnapshotInfo,
  SnapshotStore,
  StoredSnapshot,
} from '../../control-plane/driver/snapshot.ts'
import { messageOf } from '../../shared/errors.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import type { Duty, KeeperEvent } from './duty.ts'
import { nextBackup, superfluousBackups } from '../backups/backup-times.ts'
import type { Board } from './status-board.ts'

export interface BackedUpPlane extends PlaneReference {
  id: string
  backup: BackupSpec
}

export interface BackupDependencies {
  /** Starts a snapshot of the plane. */
  readData: (signal: AbortSignal) => Promise<PlaneData>
  /** Lists the volume claims of the pods in the plane. Backups do not hold their content. */
  volumes: (signal: AbortSignal) => Promise<PodVolume[]>
  /** Returns the hashes of the keys that encrypt Secrets of the plane. @default unknown */
  encryptionKeys?: (signal: AbortSignal) => Promise<string[] | undefined>
  store: Pick<SnapshotStore, 'delete' | 'list' | 'put'>
  board: Board<BackupStatus>
  report: (event: KeeperEvent) => void
  now: () => Date
}

const BACKUP_TIMEOUT_MS = 3_600_000

type LastBackup = NonNullable<BackupStatus['last']>

/** Takes and deletes the backups of one plane. It reads from the store which exist, so it can be killed at any time. */
export class PlaneBackups implements Duty {
  readonly #plane: BackedUpPlane
  readonly #deps: BackupDependencies
  /** undefined until the store was read. */
  #status: BackupStatus | undefined
  /** The status with the time of the next backup. */
  #shown: BackupStatus = {}
  /** The content of the board, as JSON. */
  #published = ''
  /** Whether a backup was taken, but old backups could not be deleted. */
  #isCleaningUp = false

  constructor(plane: BackedUpPlane, deps: BackupDependencies) {
    this.#plane = plane
    this.#deps = deps
  }

  /** @throws when it cannot publish the status. A backup that fails is a status, not an error. */
  async reconcile(signal: AbortSignal): Promise<Date> {
    const { board, now } = this.#deps
    let status = this.#status ?? (await this.#firstStatus(signal))
    if (this.#nextAttempt(status) <= now()) {
      status = await this.#attempt(status, signal)
    }
    this.#status = status
    const nextAt = this.#nextAttempt(status)
    this.#shown = { ...status, nextAt }
    const text = JSON.stringify(this.#shown)
    if (text !== this.#published) {
      await board.write(this.#shown, signal)
      this.#published = text
    }
    return nextAt
  }

  get status(): BackupStatus {
    return this.#shown
  }

  /** Reads the last backup from the store, and no earlier failure: a new keeper, or a new spec, retries at once. */
  async #firstStatus(signal: AbortSignal): Promise<BackupStatus> {
    const { last } = await this.#deps.board.read(signal)
    try {
      const newest = (await this.#own(signal)).at(-1)
      return newest === undefined ? {} : { last: lastOf(newest) }
    } catch (error) {
      signal.throwIfAborted()
      return this.#failed(messageOf(error), { last, count: 1 })
    }
  }

  /** A failed deletion of old backups is retried like a failed backup, and does not delay the next backup. */
  #nextAttempt(status: BackupStatus): Date {
    const { now } = this.#deps
    const { schedule } = this.#plane.backup
    const retryAt = nextBackup(schedule, status, now())
    const dueAt = this.#isCleaningUp ? this.#nextDue(status) : retryAt
    return dueAt < retryAt ? dueAt : retryAt
  }

  #nextDue({ failure: _failure, ...status }: BackupStatus): Date {
    return nextBackup(this.#plane.backup.schedule, status, this.#deps.now())
  }

  async #attempt(status: BackupStatus, signal: AbortSignal): Promise<BackupStatus> {
    const { now, report } = this.#deps
    const limited = AbortSignal.any([signal, AbortSignal.timeout(BACKUP_TIMEOUT_MS)])
    const count = (status.failure?.count ?? 0) + 1
    let { last } = status
    if (!this.#isCleaningUp || this.#nextDue(status) <= now()) {
      try {
        last = await this.#take(limited)
        const message = `created ${last.id}: ${last.sizeBytes} bytes, revision ${last.revision}`
        report({ level: 'normal', reason: 'BackedUp', message })
      } catch (error) {
        signal.throwIfAborted()
        return this.#failed(messageOf(error), { last, count })
      }
    }
    try {
      this.#isCleaningUp = true
      await this.#removeSuperfluous(limited)
      this.#isCleaningUp = false
      return last === undefined ? {} : { last }
    } catch (error) {
      signal.throwIfAborted()
      return this.#failed(`old backups cannot be deleted: ${messageOf(error)}`, { last, count })
    }
  }

  #failed(
    reason: string,
    { count, last }: { last: LastBackup | undefined; count: number },
  ): BackupStatus {
    const { now, report } = this.#deps
    report({ level: 'warning', reason: 'BackupFailed', message: reason })
    return { ...(last === undefined ? {} : { last }), failure: { at: now(), reason, count } }
  }

  async #take(signal: AbortSignal): Promise<LastBackup> {
    const { encryptionKeys, now, readData, store, volumes: listVolumes } = this.#deps
    const { driver, id: backupOf, name, namespace } = this.#plane
    const volumes = await listVolumes(signal)
    const keys = await encryptionKeys?.(signal)
    await using data = await readData(signal)
    const { bytes, format, revision, sizeBytes } = data
    const info: SnapshotInfo = {
      plane: name,
      driver,
      kind: 'snapshot',
      ...(namespace === undefined ? {} : { namespace }),
      backupOf,
      ...omitUndefined({ encryptionKeys: keys }),
      createdAt: now(),
      revision,
      ...omitUndefined({ format }),
      sizeBytes,
      volumes,
    }
    const verified = verifiedSnapshot(bytes, `the snapshot of "${name}"`)
    const { id = '' } = await store.put(info, verified, signal)
    return { at: info.createdAt, id, revision, sizeBytes }
  }

  async #removeSuperfluous(signal: AbortSignal): Promise<void> {
    const own = await this.#own(signal)
    for (const { id } of superfluousBackups(own, this.#plane.backup.keep)) {
      await this.#deps.store.delete(id, signal)
    }
  }

  /** The scheduled backups of this plane, oldest first. */
  async #own(signal: AbortSignal): Promise<StoredSnapshot[]> {
    const all = await this.#deps.store.list(signal, this.#plane.name)
    return all.filter(({ backupOf }) => backupOf === this.#plane.id)
  }
}

function lastOf({ createdAt, id, revision, sizeBytes }: StoredSnapshot): LastBackup {
  return { at: createdAt, id, revision, sizeBytes }
}
