import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isName } from '../../../control-plane/plane/names.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import type { UnreadablePlane } from '../../../control-plane/plane/unreadable-plane.ts'
import { unlessErrorCode, VplaneError } from '../../../shared/errors.ts'
import { acquireFileLock, tryFileLock } from '../../../shared/files/file-lock.ts'
import { toFolderError } from '../../../shared/files/folder-error.ts'
import { readTextFile } from '../../../shared/files/read-text-file.ts'
import { RememberedFiles } from '../../../shared/files/remembered-files.ts'
import { makeFolder } from '../../../shared/files/make-folder.ts'
import { isProcessAlive } from '../../../shared/processes/send-signal.ts'
import type { Ui } from '../../../shared/ui.ts'
import { planeFolder, type PlaneFolder } from './plane-folder.ts'
import {
  parseJournal,
  type PlaneRecord,
  readPlaneRecord,
  toPlane,
  writePlaneRecord,
} from './plane-record.ts'

/** How long one vplane waits for another that changes the same plane. */
const LOCK_TIMEOUT_MS = 300_000

/** Distinguishes this process from an earlier one with the same id. */
const run = randomUUID().slice(0, 8)

export interface StoredFolder {
  name: string
  folder: PlaneFolder
  /** The content of plane.json, or why it cannot be read. */
  record: PlaneRecord | VplaneError
}

/** The domain's view of a stored plane. */
export function toListed({ name, record }: StoredFolder): Plane | UnreadablePlane {
  return record instanceof VplaneError
    ? { name, driver: 'local', reason: record.message }
    : toPlane(record)
}

interface LockOptions {
  signal: AbortSignal
  /** How long to wait for another vplane, in milliseconds. @default 300_000 */
  timeoutMs?: number
  ui?: Pick<Ui, 'step'>
}

/** The planes below one folder: `planes/<name>/` each, and their locks in `locks/`. */
export class PlaneStore {
  readonly planes: string
  readonly #locks: string
  readonly #records = new RememberedFiles<PlaneRecord>()

  constructor(root: string) {
    this.planes = join(root, 'planes')
    this.#locks = join(root, 'locks')
  }

  folder(name: string): PlaneFolder {
    return planeFolder(join(this.planes, name))
  }

  async list(): Promise<StoredFolder[]> {
    const names = await this.#names()
    const found = await Promise.all(names.toSorted().map((name) => this.find(name)))
    const stored = found.filter((entry) => entry !== undefined)
    this.#records.retain(new Set(stored.map(({ folder }) => folder.record)))
    return stored
  }

  async find(name: string): Promise<StoredFolder | undefined> {
    const stored = await this.#read(name)
    if (stored !== undefined || !(await this.#names()).includes(name)) {
      return stored
    }
    // Another vplane may have added the plane after the first read.
    const folder = this.folder(name)
    const record = new VplaneError('FAILED', `${folder.record} is missing`)
    return (await this.#read(name)) ?? { name, folder, record }
  }

  /** Undefined without a record. */
  async #read(name: string): Promise<StoredFolder | undefined> {
    const folder = this.folder(name)
    try {
      const record = this.#records.get(folder.record, () => readPlaneRecord(folder.record))
      const journal = readJournal(folder)
      return record && { name, folder, record: journal ? { ...record, journal } : record }
    } catch (error) {
      if (error instanceof VplaneError) {
        return { name, folder, record: error }
      }
      throw error
    }
  }

  /** Adds a plane completely or not at all. @throws {VplaneError} `FAILED` when it cannot. */
  async add(record: PlaneRecord): Promise<PlaneRecord> {
    const draft = planeFolder(join(this.planes, temporaryName('new', record.name)))
    try {
      for (const path of [draft.root, draft.configuration, draft.processes, draft.logs]) {
        await mkdir(path, { recursive: true, mode: 0o700 })
      }
      const written = await writePlaneRecord(draft.record, record)
      await rename(draft.root, this.folder(record.name).root)
      return written
    } catch (error) {
      await rm(draft.root, { recursive: true, force: true })
      throw toFolderError(error, this.planes)
    }
  }

  /** Replaces a record in one step. @throws {VplaneError} `FAILED` when it cannot be written. */
  async update(record: PlaneRecord): Promise<PlaneRecord> {
    try {
      return await writePlaneRecord(this.folder(record.name).record, record)
    } catch (error) {
      throw toFolderError(error, this.planes)
    }
  }

  /** Moves a plane out of the store first. @throws {VplaneError} `FAILED` when that fails. */
  async remove(name: string): Promise<void> {
    const removed = join(this.planes, temporaryName('old', name))
    try {
      await unlessErrorCode(['ENOENT'], rename(this.folder(name).root, removed))
    } catch (error) {
      throw toFolderError(error, this.planes)
    }
    await rm(removed, { recursive: true, force: true, maxRetries: 3 })
  }

  /** Removes what processes that died while they added or removed a plane left behind. */
  async sweep(): Promise<void> {
    const folders = await this.#folders()
    await Promise.all(
      folders
        .filter(isAbandoned)
        .map((name) => rm(join(this.planes, name), { recursive: true, force: true })),
    )
    // The folder does not exist before the first lock.
    const locks = await readdir(this.#locks).catch(() => [])
    for (const name of locks.filter((lock) => isName(lock) && !folders.includes(lock))) {
      // Acquires and releases a free lock, which removes its file.
      await this.isHeld(name)
    }
  }

  /** Holds a plane, so that no other vplane changes it. Shows a step when it waits for another vplane. */
  async lock(
    name: string,
    { signal, timeoutMs = LOCK_TIMEOUT_MS, ui }: LockOptions,
  ): Promise<AsyncDisposable> {
    this.#createRoot()
    const what = `another vplane that works on "${name}"`
    return acquireFileLock(join(this.#locks, name), {
      what,
      timeoutMs,
      signal,
      onWait: () => ui?.step(`Waiting for ${what}`),
      hints: [{ purpose: 'to show its operation', action: 'describe', plane: { name } }],
    })
  }

  /** Holds a plane; undefined when another one does. */
  tryLock(name: string): AsyncDisposable | undefined {
    return tryFileLock(join(this.#locks, name))
  }

  async isHeld(name: string): Promise<boolean> {
    await using free = this.tryLock(name)
    return free === undefined
  }

  /** Locks the choice of ports, so that no two planes choose the same. */
  async lockPorts(signal: AbortSignal): Promise<AsyncDisposable> {
    this.#createRoot()
    return acquireFileLock(join(this.#locks, '.ports'), {
      what: 'another vplane that chooses ports',
      timeoutMs: LOCK_TIMEOUT_MS,
      // Held for milliseconds. With twenty waiting processes, polling more often would slow down the holder.
      intervalMs: 25,
      signal,
    })
  }

  #createRoot(): void {
    makeFolder(this.#locks)
    makeFolder(this.planes)
  }

  /** Ignores folders that do not belong to vplane. */
  async #names(): Promise<string[]> {
    return (await this.#folders()).filter(isName)
  }

  async #folders(): Promise<string[]> {
    try {
      const reading = readdir(this.planes, { withFileTypes: true })
      const entries = (await unlessErrorCode(['ENOENT', 'ENOTDIR'], reading)) ?? []
      return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
    } catch (error) {
      throw toFolderError(error, this.planes, { task: 'read' })
    }
  }
}

function readJournal({ operation }: PlaneFolder): PlaneRecord['journal'] {
  const text = readTextFile(operation)
  return text === undefined ? text : parseJournal(text, operation)
}

/** The name of a folder before it is added or after it was removed. It starts with a period, and names its process. */
function temporaryName(kind: 'new' | 'old', plane: string): string {
  return `.${kind}-${process.pid}-${run}-${plane}-${randomUUID().slice(0, 8)}`
}

/** Whether a temporary folder belongs to a process that has died. */
function isAbandoned(name: string): boolean {
  const match = /^\.(?:new|old)-(\d+)-([0-9a-f]{8})-/.exec(name)
  if (match === null) {
    return false
  }
  const processId = Number(match[1])
  return processId === process.pid ? match[2] !== run : !isProcessAlive(processId)
}
