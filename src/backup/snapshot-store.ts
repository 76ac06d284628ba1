import { text } from 'node:stream/consumers'
import type { SnapshotStore, StoredSnapshot } from '../control-plane/snapshot.ts'
import { VplaneError } from '../shared/errors.ts'
import type { Blobs } from './blobs.ts'
import { isSnapshotId, snapshotIdOf, timeOfSnapshotId } from './snapshot-id.ts'
import { formatSnapshotRecord, parseSnapshotRecord } from './snapshot-record.ts'

const DATA = '.data'
const RECORD = '.json'

/** Bytes, or a file that was to become them: `.dev-20260102-030405-1a2b.data.12345678.part`. */
const LEFT = /^\.?([a-z0-9-]+)\.data(?:\.[0-9a-f]{8}\.part)?$/

/** For how long somebody may still be writing bytes, in milliseconds. */
const WRITING_MS = 24 * 3_600_000

/**
 * Keeps snapshots as pairs: the bytes, and then what is known of them, without which they do not count. Whoever deletes one
 * removes along what those have left who were cut off between both, more than a day ago.
 */
export function snapshotStore(
  blobs: Blobs,
  { now = () => new Date() }: { now?: () => Date } = {},
): SnapshotStore {
  const recordOf = async (id: string, signal: AbortSignal): Promise<StoredSnapshot | undefined> => {
    const source = blobs.locationOf(`${id}${RECORD}`)
    const stored = isSnapshotId(id) ? await blobs.read(`${id}${RECORD}`, signal) : undefined
    return stored && parseSnapshotRecord(await text(stored), { id, source })
  }
  const require = async (id: string, signal: AbortSignal) => {
    const record = await recordOf(id, signal)
    if (record === undefined) {
      throw notFound(id)
    }
    return record
  }
  return {
    put: async (info, bytes, signal) => {
      const id = snapshotIdOf(info)
      const record = Buffer.from(formatSnapshotRecord(info))
      await blobs.write(`${id}${DATA}`, bytes, signal)
      await blobs.write(`${id}${RECORD}`, once(record), signal)
      return { id, location: blobs.locationOf(`${id}${DATA}`) }
    },
    list: async (signal) => {
      const names = await blobs.list(signal)
      const ids = names
        .filter((name) => name.endsWith(RECORD))
        .map((name) => name.slice(0, -RECORD.length))
      const found = await Promise.all(ids.map((id) => recordOf(id, signal)))
      return found
        .filter((snapshot) => snapshot !== undefined)
        .toSorted((left, right) => left.createdAt.getTime() - right.createdAt.getTime())
    },
    find: require,
    read: async (id, signal) => {
      await require(id, signal)
      const bytes = await blobs.read(`${id}${DATA}`, signal)
      if (bytes === undefined) {
        throw notFound(id)
      }
      return bytes
    },
    delete: async (id, signal) => {
      await require(id, signal)
      await blobs.remove(`${id}${RECORD}`, signal)
      await blobs.remove(`${id}${DATA}`, signal)
      const names = await blobs.list(signal)
      for (const name of leftIn(names, new Date(now().getTime() - WRITING_MS))) {
        await blobs.remove(name, signal)
      }
    },
  }
}

/** The bytes, of before a moment, of which nothing is known. */
function leftIn(names: readonly string[], before: Date): string[] {
  const known = new Set(names)
  return names.filter((name) => {
    const [, id = ''] = LEFT.exec(name) ?? []
    const takenAt = timeOfSnapshotId(id)
    return takenAt !== undefined && takenAt < before && !known.has(`${id}${RECORD}`)
  })
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer, void, void> {
  yield bytes
}

function notFound(id: string): VplaneError {
  return new VplaneError('NOT_FOUND', `there is no snapshot "${id}"`, {
    hints: ['vplane snapshot list'],
  })
}
