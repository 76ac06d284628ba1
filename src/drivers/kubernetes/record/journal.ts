import {
  interruptedBefore,
  type JournalEntry,
  type JournaledPlane,
  nextEntry,
} from '../../../control-plane/operations/journal.ts'
import { deletedMeanwhile } from '../../../control-plane/plane/deleted-meanwhile.ts'
import type { RotatedKeys } from '../../../control-plane/rotation/rotation.ts'
import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import type { HostApi } from '../host/host-api.ts'
import { type PlaneRecord, unfinishedOf } from './plane-record.ts'
import { isReadableRecord, type ReadableRecord, readRecord, replaceRecord } from './record-store.ts'
import type { HeldLease } from '../../../kube/lease/held-lease.ts'

export interface JournalOptions {
  lease: Pick<HeldLease, 'holder' | 'check'>
  stored: ReadableRecord
  operation: JournalEntry['operation']
  /** Of a rotation of keys. */
  keys?: RotatedKeys | undefined
  now: () => Date
  signal: AbortSignal
}

/** Records each step before it is done; detects by a newer record that another vplane took over. */
export class Journal {
  readonly #api: Pick<HostApi, 'get' | 'replace'>
  readonly #options: JournalOptions
  #stored: ReadableRecord

  constructor(api: Pick<HostApi, 'get' | 'replace'>, options: JournalOptions) {
    this.#api = api
    this.#options = options
    this.#stored = options.stored
  }

  get record(): PlaneRecord {
    return this.#stored.record
  }

  get stored(): ReadableRecord {
    return this.#stored
  }

  /** @throws {VplaneError} `CONFLICT` after a takeover, `CONTROL_PLANE_NOT_FOUND` when deleted. */
  async step(step: string, changes: Partial<PlaneRecord> = {}): Promise<void> {
    const { keys, lease, now, operation } = this.#options
    const next = { operation, keys, step, at: now().toISOString(), holder: lease.holder }
    const journal = nextEntry(journaled(this.record), next)
    await this.#write({ ...this.record, ...changes, journal })
  }

  /** What was interrupted before, and is still unfinished, is the operation of the plane again. */
  async finish(changes: Partial<PlaneRecord> = {}): Promise<void> {
    const { journal: _done, ...record } = { ...this.record, ...changes }
    const left = journaled({ ...this.record, ...changes })
    const parent = interruptedBefore(this.#options.operation, left)
    await this.#write(omitUndefined({ ...record, journal: parent }))
  }

  async #write(record: PlaneRecord): Promise<void> {
    const { lease, signal } = this.#options
    await lease.check()
    try {
      this.#stored = await replaceRecord(this.#api, this.#stored, { record, signal })
    } catch (error) {
      if (isVplaneError(error, 'NOT_FOUND')) {
        throw deletedMeanwhile(record.name, error)
      }
      if (isVplaneError(error, 'CONFLICT')) {
        return this.#takeOwn(record, error)
      }
      throw error
    }
  }

  /** A write that is sent again because its answer was lost conflicts with itself. */
  async #takeOwn(record: PlaneRecord, conflict: VplaneError): Promise<void> {
    const { signal } = this.#options
    const found = await readRecord(this.#api, this.#stored, { signal })
    if (found === undefined || found.uid !== this.#stored.uid) {
      throw deletedMeanwhile(record.name, conflict)
    }
    if (!isReadableRecord(found) || !isSame(found.record, record)) {
      throw new VplaneError('CONFLICT', `another vplane works on "${record.name}"`, {
        hints: ['run the command again: it continues from where it was'],
        cause: conflict,
      })
    }
    this.#stored = found
  }
}

function journaled(record: PlaneRecord): JournaledPlane {
  return { journal: record.journal, unfinished: unfinishedOf(record) }
}

/** Except for the vplane that wrote them. */
function isSame(left: PlaneRecord, right: PlaneRecord): boolean {
  const textOf = (record: PlaneRecord) =>
    JSON.stringify({ ...record, formatVersion: 0, writtenBy: '' })
  return textOf(left) === textOf(right)
}
