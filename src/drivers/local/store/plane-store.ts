import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isName } from '../../../control-plane/plane/names.ts'
import { hasErrorCode, messageOf, VplaneError } from '../../../shared/errors.ts'
import { acquireFileLock, tryFileLock } from '../../../shared/files/file-lock.ts'
import { makeFolder } from '../../../shared/files/make-folder.ts'
import { isProcessAlive } from '../../../shared/processes/is-process-alive.ts'
import { planeFolder, type PlaneFolder } from './plane-folder.ts'
import { type PlaneRecord, readPlaneRecord, writePlaneRecord } from './plane-record.ts'

/** How long one vplane waits for another that works on the same plane. */
const LOCK_TIMEOUT_MS = 300_000

/** Tells this process from an earlier one with the same id. */
const run = randomUUID().slice(0, 8)

export interface StoredFolder {
  name: string
  folder: PlaneFolder
  /** What plane.json says, or why it cannot be read. */
  record: PlaneRecord | VplaneError
}

/** The planes below one folder: `planes/<name>/` each, and `locks/` while somebody works on them. */
export class PlaneStore {
  readonly planes: string
  readonly #locks: string

  constructor(root: string) {
    this.planes = join(root, 'planes')
    this.#locks = join(root, 'locks')
  }

  folder(name: string): PlaneFolder {
    return planeFolder(join(this.planes, name))
  }

  /** Every plane, by name. */
  async list(): Promise<StoredFolder[]> {
    const names = await this.#names()
    const found = await Promise.all(names.toSorted().map((name) => this.find(name)))
    return found.filter((entry) => entry !== undefined)
  }

  /** One plane; undefined when there is none. */
  async find(name: string): Promise<StoredFolder | undefined> {
    const folder = this.folder(name)
    try {
      const record = await readPlaneRecord(folder.record)
      if (record !== undefined) {
        return { name, folder, record }
      }
    } catch (error) {
      if (error instanceof VplaneError) {
        return { name, folder, record: error }
      }
      throw error
    }
    const isThere = (await this.#names()).includes(name)
    const reason = `${folder.record} is missing`
    return isThere ? { name, folder, record: new VplaneError('FAILED', reason) } : undefined
  }

  /**
   * Makes the folder of a new plane, complete with its record or not at all.
   *
   * @throws {VplaneError} `FAILED` when the folder cannot be made.
   */
  async add(record: PlaneRecord): Promise<PlaneRecord> {
    const draft = planeFolder(join(this.planes, transientName('new', record.name)))
    try {
      for (const path of [draft.root, draft.configuration, draft.processes, draft.logs]) {
        await mkdir(path, { recursive: true, mode: 0o700 })
      }
      const written = await writePlaneRecord(draft.record, record)
      await rename(draft.root, this.folder(record.name).root)
      return written
    } catch (error) {
      await rm(draft.root, { recursive: true, force: true })
      throw toStoreError(error, this.planes)
    }
  }

  /**
   * Replaces the record of a plane in one step.
   *
   * @throws {VplaneError} `FAILED` when it cannot be written.
   */
  async update(record: PlaneRecord): Promise<PlaneRecord> {
    try {
      return await writePlaneRecord(this.folder(record.name).record, record)
    } catch (error) {
      throw toStoreError(error, this.planes)
    }
  }

  /**
   * Takes a plane out of the store in one step, then removes its files.
   *
   * @throws {VplaneError} `FAILED` when it cannot be taken out.
   */
  async remove(name: string): Promise<void> {
    const gone = join(this.planes, transientName('old', name))
    try {
      await rename(this.folder(name).root, gone)
    } catch (error) {
      if (hasErrorCode(error, 'ENOENT')) {
        return
      }
      throw toStoreError(error, this.planes)
    }
    await rm(gone, { recursive: true, force: true, maxRetries: 3 })
  }

  /** Removes what processes that died in the middle of adding or removing a plane left of it. */
  async sweep(): Promise<void> {
    const folders = await this.#folders()
    const abandoned = folders.filter((name) => isAbandoned(name))
    await Promise.all(
      abandoned.map((name) => rm(join(this.planes, name), { recursive: true, force: true })),
    )
    // The folder is made by the first to hold a plane.
    const locks = await readdir(this.#locks).catch(() => [])
    for (const name of locks.filter((lock) => isName(lock) && !folders.includes(lock))) {
      // Takes the lock if nobody holds it, and removes its file with it.
      await this.isHeld(name)
    }
  }

  /** Holds a plane, so that no other vplane changes it meanwhile. */
  async lock(name: string, options: { signal: AbortSignal; onWait?: () => void }) {
    await this.#makeRoot()
    return acquireFileLock(join(this.#locks, name), {
      what: `another vplane that works on "${name}"`,
      timeoutMs: LOCK_TIMEOUT_MS,
      ...options,
    })
  }

  /** Tells whether somebody holds a plane now. */
  async isHeld(name: string): Promise<boolean> {
    await using free = tryFileLock(join(this.#locks, name))
    return free === undefined
  }

  /** Holds the choice of ports, so that no two planes choose the same. */
  async lockPorts(signal: AbortSignal): Promise<AsyncDisposable> {
    await this.#makeRoot()
    return acquireFileLock(join(this.#locks, '.ports'), {
      what: 'another vplane that chooses ports',
      timeoutMs: LOCK_TIMEOUT_MS,
      // Held for milliseconds; but when twenty wait for it, looking more often takes the processor from the one that holds it.
      intervalMs: 25,
      signal,
    })
  }

  async #makeRoot(): Promise<void> {
    try {
      makeFolder(this.#locks)
      makeFolder(this.planes)
    } catch (error) {
      throw toStoreError(error, this.planes)
    }
  }

  /** Folders with other names are not of vplane: they are neither shown nor touched. */
  async #names(): Promise<string[]> {
    return (await this.#folders()).filter((name) => isName(name))
  }

  async #folders(): Promise<string[]> {
    try {
      const entries = await readdir(this.planes, { withFileTypes: true })
      return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
    } catch (error) {
      if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) {
        return []
      }
      throw toStoreError(error, this.planes)
    }
  }
}

/**
 * A name for a folder on its way into the store or out of it. No plane's name begins with a period, and it says who
 * works on it: so what a dead process left can be told from what a living one is about to move.
 */
function transientName(way: 'new' | 'old', plane: string): string {
  return `.${way}-${process.pid}-${run}-${plane}-${randomUUID().slice(0, 8)}`
}

function toStoreError(error: unknown, path: string): unknown {
  if (error instanceof VplaneError) {
    return error
  }
  const hints = hasErrorCode(error, 'ENOSPC')
    ? ['free some disk space and run the command again']
    : [`look at the owner and the permissions of ${path}`, 'or set VPLANE_HOME to another folder']
  return new VplaneError('FAILED', `cannot write below ${path}: ${messageOf(error)}`, {
    hints,
    cause: error,
  })
}

/** Tells whether a folder is of a process that died before it was done. */
function isAbandoned(name: string): boolean {
  const match = /^\.(?:new|old)-(\d+)-([0-9a-f]{8})-/.exec(name)
  if (match === null) {
    return false
  }
  const processId = Number(match[1])
  return processId === process.pid ? match[2] !== run : !isProcessAlive(processId)
}
