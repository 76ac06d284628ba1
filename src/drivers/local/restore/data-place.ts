import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { databaseOf } from '../../../control-plane/store/store.ts'
import type { ReplaceableData } from '../../../database/dialect/database-dialect.ts'
import { compactTime } from '../../../shared/text/compact-time.ts'
import { dataFolderOf } from '../components/local-layout.ts'
import { openForRestore } from '../lifecycle/plane-database.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

/** The data of a plane, and that which `prepareData` has created beside it. */
export interface DataPlace extends Omit<ReplaceableData, 'load'> {
  /** A name for the former data. */
  formerNameAt(moment: Date): string
  /** How texts name the former data. */
  describe(former: string): string
}

/** Where the store of a plane has its data: in its folder, or at the server of its database. */
export function dataPlaceOf(record: PlaneRecord, folder: PlaneFolder): DataPlace {
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
  const atServer = async <Result>(work: (data: ReplaceableData) => Promise<Result>) => {
    await using server = await openForRestore(record, folder)
    return await work(server.data)
  }
  return {
    formerNameAt: (moment) => `kine-before-${compactTime(moment)}`,
    describe: (former) => `"${former}" in its database`,
    exchange: (former) => atServer((data) => data.exchange(former)),
    putBack: (former) => atServer((data) => data.putBack(former)),
    dropFormer: (former) => atServer((data) => data.dropFormer(former)),
  }
}
