import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { databaseOf, sharedEtcdOf } from '../../../control-plane/store/store.ts'
import { putKeys } from '../../../etcd/data/put-keys.ts'
import { deleteKeys } from '../../../etcd/shared/delete-keys.ts'
import { logicalKeys } from '../../../backup/logical/read-logical.ts'
import { connectAsPlane, storedSharedEtcd } from '../components/plane-etcd-access.ts'
import { writeLogicalSnapshot } from '../../../data/take-logical-snapshot.ts'
import { type DataAtServer, dataAtServer } from '../../../database/data-at-server.ts'
import { compactTime } from '../../../shared/text/compact-time.ts'
import { dataFolderOf } from '../components/local-layout.ts'
import { openForRestore } from '../lifecycle/plane-database.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

/** The data of a plane, and that which `prepareData` has created beside it. */
export interface DataPlace extends Omit<DataAtServer, 'load'> {
  /** A name for the former data. */
  formerNameAt(moment: Date): string
}

/** Where the store of a plane has its data: in its folder, at the server of its database, or in a shared etcd. */
export function dataPlaceOf(
  record: PlaneRecord,
  folder: PlaneFolder,
  signal: AbortSignal,
): DataPlace {
  if (sharedEtcdOf(record.spec) !== undefined) {
    return placeInSharedEtcd(record, folder, signal)
  }
  return databaseOf(record.spec) === undefined
    ? placeInFolder(record, folder)
    : placeAtServer(record, folder)
}

/** Each rename is atomic: after an interruption, the old data is complete under one of its names. */
function placeInFolder(record: PlaneRecord, folder: PlaneFolder): DataPlace {
  const current = dataFolderOf(record, folder)
  const pathOf = (former: string) => join(folder.root, basename(former))
  const remove = (path: string) => rm(path, { recursive: true, force: true })
  return {
    formerNameAt: (moment) => `${basename(current)}-before-${compactTime(moment)}`,
    describe: pathOf,
    exchange: async (former) => {
      if (existsSync(pathOf(former))) {
        await remove(current)
      } else if (existsSync(current)) {
        await rename(current, pathOf(former))
      }
      await rename(folder.restoredData, current)
    },
    putBack: async (former) => {
      const isKept = existsSync(pathOf(former))
      if (isKept) {
        await remove(current)
        await rename(pathOf(former), current)
      }
      return isKept
    },
    dropFormer: (former) => remove(pathOf(former)),
  }
}

function placeAtServer(record: PlaneRecord, folder: PlaneFolder): DataPlace {
  return {
    formerNameAt: (moment) => `kine-before-${compactTime(moment)}`,
    ...dataAtServer(() => openForRestore(record, folder)),
  }
}

/**
 * Both the former and the new keys are in files here, and those of the plane are replaced where they are: clients that
 * come back with an earlier revision see what was at that time, and then each change. kube-apiserver does not run
 * meanwhile. After an interruption the keys may be incomplete, but both files are not.
 */
function placeInSharedEtcd(
  record: PlaneRecord,
  folder: PlaneFolder,
  signal: AbortSignal,
): DataPlace {
  const pathOf = (former: string) => join(folder.root, basename(former))
  const connect = () => {
    const facts = storedSharedEtcd(folder)
    if (facts === undefined) {
      throw new Error(`"${record.name}" has nothing in a shared etcd`)
    }
    return connectAsPlane(facts, folder, signal)
  }
  const replaceBy = async (file: string) => {
    const connection = await connect()
    await deleteKeys(connection, connection.prefix, signal)
    await putKeys(connection, logicalKeys(file), signal)
  }
  return {
    formerNameAt: (moment) => `keys-before-${compactTime(moment)}`,
    describe: pathOf,
    exchange: async (former) => {
      const file = pathOf(former)
      if (record.hasData && !existsSync(file)) {
        await writeLogicalSnapshot(await connect(), { ...record, file }, signal)
      }
      await replaceBy(folder.restoredData)
      await rm(folder.restoredData)
    },
    putBack: async (former) => {
      const isKept = existsSync(pathOf(former))
      if (isKept) {
        await replaceBy(pathOf(former))
        await rm(pathOf(former))
      }
      return isKept
    },
    dropFormer: (former) => rm(pathOf(former), { force: true }),
  }
}
