import { text } from 'node:stream/consumers'
import type { SnapshotStore, StoredSnapshot } from '../control-plane/driver/snapshot.ts'
import { messageOf, VplaneError } from '../shared/errors.ts'
import type { Blobs } from './blobs/blobs.ts'
import {
  formatSnapshotRecord,
  isSnapshotId,
  parseSnapshotRecord,
  snapshotIdOf,
  timeOfSnapshotId,
} from './snapshot-record.ts'

const DATA = '.data'
const RECORD = '.json'

/** After this time, bytes without a record are considered abandoned and no longer in writing, in milliseconds. */
const WRITING_MS = 24 * 3_600_000

/**
 * Stores snapshots as pairs: first the bytes, then the record, without which the bytes are ignored. Each deletion also
 * removes bytes without a record that are older than a day, because their writer was interrupted. `warn` gets the
 * reason when a list skips a record that cannot be read.
 */
export function snapshotStore(
  blobs: Blobs,
  { now = () => new Date(), warn }: { warn: (text: string) => void; now?: () => Date },
): SnapshotStore {
  const textOf = async (id: string, signal: AbortSignal) => {
    const stored = isSnapshotId(id) ? await blobs.read(`${id}${RECORD}`, signal) : undefined
    return stored && text(stored)
  }
  const parse = (id: string, record: string) =>
    parseSnapshotRecord(record, { id, source: blobs.locationOf(`${id}${RECORD}`) })
  const parseOrWarn = (id: string, record: string): StoredSnapshot | undefined => {
    try {
      return parse(id, record)
    } catch (error) {
      warn(`${messageOf(error)}; this snapshot is skipped, and stays until you delete it by its id`)
      return undefined
    }
  }
  const require = async (id: string, signal: AbortSignal) => {
    const record = await textOf(id, signal)
    if (record === undefined) {
      throw notFound(id)
    }
    return parse(id, record)
  }
  return {
    put: async (info, bytes, signal) => {
      const id = snapshotIdOf(info)
      const record = Buffer.from(formatSnapshotRecord(info))
      await blobs.write(`${id}${DATA}`, bytes, signal)
      await blobs.write(`${id}${RECORD}`, once(record), signal)
      return { id, location: blobs.locationOf(`${id}${DATA}`) }
    },
    list: async (signal, plane) => {
      const names = await blobs.list(signal)
      const ids = names
        .filter((name) => name.endsWith(RECORD))
        .map((name) => name.slice(0, -RECORD.length))
        // An id begins with the name of its plane, and so do those of some other planes.
        .filter((id) => plane === undefined || id.startsWith(`${plane}-`))
      const found = await Promise.all(
        ids.map(async (id) => {
          const record = await textOf(id, signal)
          return record === undefined ? undefined : parseOrWarn(id, record)
        }),
      )
      return found
        .filter((snapshot) => snapshot !== undefined)
        .filter((snapshot) => plane === undefined || snapshot.plane === plane)
        .toSorted((left, right) => left.createdAt.getTime() - right.createdAt.getTime())
    },
    find: require,
    has: async (id, signal) => (await textOf(id, signal)) !== undefined,
    read: async (id, signal) => {
      await require(id, signal)
      const bytes = await blobs.read(`${id}${DATA}`, signal)
      if (bytes === undefined) {
        throw notFound(id)
      }
      return bytes
    },
    delete: async (id, signal) => {
      // This also deletes a snapshot whose record cannot be read.
      if ((await textOf(id, signal)) === undefined) {
        throw notFound(id)
      }
      await blobs.remove(`${id}${RECORD}`, signal)
      await blobs.remove(`${id}${DATA}`, signal)
      const names = new Set(await blobs.list(signal))
      const isAbandoned = (name: string) =>
        isDataOfBefore(name, new Date(now().getTime() - WRITING_MS)) &&
        !names.has(name.replace(DATA, RECORD))
      for (const name of [...names].filter(isAbandoned)) {
        await blobs.remove(name, signal)
      }
      await blobs.removePartial(isAbandoned, signal)
    },
  }
}

function isDataOfBefore(name: string, moment: Date): boolean {
  const takenAt = name.endsWith(DATA) ? timeOfSnapshotId(name.slice(0, -DATA.length)) : undefined
  return takenAt !== undefined && takenAt < moment
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer, void, void> {
  yield bytes
}

function notFound(id: string): VplaneError {
  return new VplaneError('NOT_FOUND', `there is no snapshot "${id}"`, {
    hints: [{ action: 'list-snapshots' }],
  })
}
