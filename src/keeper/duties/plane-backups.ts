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
import type { Duty, KeeperEvent } from './duty.ts'
import { nextBackup, superfluousBackups } from './backup-times.ts'
import type { Board } from './status-board.ts'

/** A plane whose data is copied by a schedule. */
export interface BackedUpPlane extends PlaneReference {
  id: string
  backup: BackupSpec
}

/** What backups of a plane need of the world. */
export interface BackupDependencies {
  /** Begins a snapshot of the data of the plane. */
  readData: (signal: AbortSignal) => Promise<PlaneData>
  /** The volume claims of the pods that it runs: no backup holds what lies on them. */
  volumes: (signal: AbortSignal) => Promise<PodVolume[]>
  store: Pick<SnapshotStore, 'delete' | 'list' | 'put'>
  /** Where others see how the backups stand. */
  board: Board<BackupStatus>
  report: (event: KeeperEvent) => void
  now: () => Date
}

/** How long one may take; what hangs is given up then, in milliseconds. */
const LONGEST_MS = 3_600_000

type LastBackup = NonNullable<BackupStatus['last']>

/**
 * The backups of one plane. Which there are, the store says; so one that was killed at any moment goes on by looking again.
 */
export class PlaneBackups implements Duty {
  readonly #plane: BackedUpPlane
  readonly #deps: BackupDependencies
  /** undefined until the store was looked into. */
  #status: BackupStatus | undefined
  /** The same with what comes next. */
  #shown: BackupStatus = {}
  /** What the board says. */
  #said = ''
  /** Whether a backup was taken, and old ones could not be deleted after it. */
  #isCleaningUp = false

  constructor(plane: BackedUpPlane, deps: BackupDependencies) {
    this.#plane = plane
    this.#deps = deps
  }

  /**
   * Takes a backup when one is due, deletes those that need not stay, and says how they stand.
   *
   * @returns when to look again.
   * @throws what keeps it from being said; a backup that fails is no error, but a status.
   */
  async look(signal: AbortSignal): Promise<Date> {
    const { board, now } = this.#deps
    let status = this.#status ?? (await this.#firstLook(signal))
    if (this.#nextAttempt(status) <= now()) {
      status = await this.#attempt(status, signal)
    }
    this.#status = status
    const nextAt = this.#nextAttempt(status)
    this.#shown = { ...status, nextAt }
    const text = JSON.stringify(this.#shown)
    if (text !== this.#said) {
      await board.write(this.#shown, signal)
      this.#said = text
    }
    return nextAt
  }

  /** How they stand, as it was seen last. */
  get status(): BackupStatus {
    return this.#shown
  }

  /**
   * What the store has, without what went wrong before: whoever starts a keeper anew, or changes the spec, may have mended
   * it, and it is tried again at once.
   */
  async #firstLook(signal: AbortSignal): Promise<BackupStatus> {
    const { last } = await this.#deps.board.read(signal)
    try {
      const newest = (await this.#own(signal)).at(-1)
      return newest === undefined ? {} : { last: lastOf(newest) }
    } catch (error) {
      signal.throwIfAborted()
      return this.#failed(messageOf(error), { last, count: 1 })
    }
  }

  /** Old backups that cannot be deleted are tried again like a backup that failed; they do not hold up the next one. */
  #nextAttempt(status: BackupStatus): Date {
    const { now } = this.#deps
    const { schedule } = this.#plane.backup
    const retryAt = nextBackup(schedule, status, now())
    const dueAt = this.#isCleaningUp ? this.#nextDue(status) : retryAt
    return dueAt < retryAt ? dueAt : retryAt
  }

  #nextDue({ last }: BackupStatus): Date {
    return nextBackup(
      this.#plane.backup.schedule,
      last === undefined ? {} : { last },
      this.#deps.now(),
    )
  }

  async #attempt(status: BackupStatus, signal: AbortSignal): Promise<BackupStatus> {
    const { now, report } = this.#deps
    const limited = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)])
    const count = (status.failure?.count ?? 0) + 1
    let { last } = status
    if (!this.#isCleaningUp || this.#nextDue(status) <= now()) {
      try {
        last = await this.#take(limited)
        const message = `took ${last.id}: ${last.sizeBytes} bytes, revision ${last.revision}`
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
    const { now, readData, store, volumes: listVolumes } = this.#deps
    const { driver, id: backupOf, name, namespace } = this.#plane
    const volumes = await listVolumes(signal)
    const { bytes, revision, sizeBytes } = await readData(signal)
    const info: SnapshotInfo = {
      plane: name,
      driver,
      kind: 'snapshot',
      ...(namespace === undefined ? {} : { namespace }),
      backupOf,
      createdAt: now(),
      revision,
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

  /** Those that the schedule of this very plane took, the oldest first: others are not ours to delete. */
  async #own(signal: AbortSignal): Promise<StoredSnapshot[]> {
    const all = await this.#deps.store.list(signal)
    return all.filter(({ backupOf }) => backupOf === this.#plane.id)
  }
}

function lastOf({ createdAt, id, revision, sizeBytes }: StoredSnapshot): LastBackup {
  return { at: createdAt, id, revision, sizeBytes }
}
