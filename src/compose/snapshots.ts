import { join, resolve } from 'node:path'
import { fileBlobs } from '../backup/blobs/file-blobs.ts'
import { bundleContents } from '../backup/bundle/bundle-contents.ts'
import { sealed } from '../backup/bundle/seal.ts'
import { openFile, openStored } from '../backup/open-snapshot.ts'
import { isS3, parseS3, s3Blobs } from '../backup/blobs/s3-blobs.ts'
import { isSnapshotId } from '../backup/snapshot-record.ts'
import { snapshotStore } from '../backup/snapshot-store.ts'
import { verifiedSnapshot } from '../backup/verify-snapshot.ts'
import { writeStreamFile } from '../backup/streams/write-stream-file.ts'
import type { SnapshotPlace, Snapshots } from '../control-plane/driver/snapshot.ts'
import type { Environment } from '../shared/environment.ts'
import { refuseExisting } from '../shared/files/refuse-existing.ts'

export interface SnapshotsOptions {
  data: string
  environment: Environment
  /** Reports stored snapshots that cannot be read. */
  warn: (text: string) => void
}

/** Creates the implementation of snapshots by `backup/`. */
export function createSnapshots({ data, environment, warn }: SnapshotsOptions): Snapshots {
  const local = snapshotStore(fileBlobs(join(data, 'snapshots')), { warn })
  const storeOf = (text: string) => snapshotStore(s3Blobs(parseS3(text), environment), { warn })
  const find = (text: string) => {
    const end = text.lastIndexOf('/')
    return isS3(text)
      ? { store: storeOf(text.slice(0, end)), id: text.slice(end + 1) }
      : { store: local, id: text }
  }
  return {
    local,
    storeOf,
    placeOf: (output, { force = false } = {}) => {
      if (isS3(output)) {
        return storeOf(output)
      }
      const file = resolve(output)
      refuseExisting(file, { force })
      return fileOf(file)
    },
    open: async (from, options) => {
      const { id, store } = find(from)
      return isS3(from) || isSnapshotId(id)
        ? { ...(await openStored(store, id, options)), from }
        : { ...(await openFile(from, options)), from: resolve(from) }
    },
    has: (from, signal) => {
      const { id, store } = find(from)
      return store.has(id, signal)
    },
    delete: (from, signal) => {
      const { id, store } = find(from)
      return store.delete(id, signal)
    },
    bundled: (bundle, snapshot, passphrase) => sealed(bundleContents(bundle, snapshot), passphrase),
    verified: verifiedSnapshot,
  }
}

function fileOf(path: string): SnapshotPlace {
  return {
    put: async (_, bytes) => {
      await writeStreamFile(path, bytes)
      return { location: path }
    },
  }
}
