import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { logicalHeader, logicalKeys } from '../../../backup/logical/read-logical.ts'
import type { LogicalKey } from '../../../backup/logical/logical-format.ts'
import { revisionAbove } from '../../../control-plane/components/arguments/restore-arguments.ts'
import type { RestoreRequest } from '../../../control-plane/driver/requests.ts'
import type { DataFingerprint } from '../../../control-plane/plane/data-fingerprint.ts'
import { databaseOf, storeOf } from '../../../control-plane/store/store.ts'
import { Fingerprint } from '../../../etcd/data/data-fingerprint.ts'
import { putKeys } from '../../../etcd/data/put-keys.ts'
import { currentRevision, keysAt } from '../../../etcd/data/read-keys.ts'
import { snapshotRevision } from '../../../etcd/data/snapshot-revision.ts'
import { createTemporaryFolder } from '../../../shared/files/create-temporary-folder.ts'
import type { StartContext } from '../components/start-context.ts'
import { openForRestore } from '../lifecycle/plane-database.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { countedKeys } from '../../../data/counted-keys.ts'
import { kineRows } from '../../../data/kine-rows.ts'
import { runEtcdutl } from './run-etcdutl.ts'
import { temporaryEtcd } from './temporary-etcd.ts'
import { writeSqlite } from '../../../data/write-sqlite.ts'

export interface PreparedData {
  /** Its revisions are later; this one and all before it count as compacted. */
  revisionFloor: number
  /** What the store must contain when it runs. @default the program that created the data has checked it */
  expected?: DataFingerprint
}

interface PrepareRequest extends Pick<RestoreRequest, 'file' | 'revision'> {
  operation: HeldOperation
}

/** What the data is created from, and above which revision. */
interface Loading {
  file: string
  revisionFloor: number
  /** The last revision in the file. */
  contained: number
  operation: HeldOperation
}

type Load = (
  context: StartContext,
  record: PlaneRecord,
  loading: Loading,
) => Promise<DataFingerprint | undefined>

/**
 * Creates the data of a plane's store from a snapshot of either format, beside its current data.
 * @throws {VplaneError} `FAILED` when the snapshot cannot be read, or a program is missing, and what the server of its
 * database throws.
 */
export async function prepareData(
  context: StartContext,
  record: PlaneRecord,
  { file, operation, revision }: PrepareRequest,
): Promise<PreparedData> {
  const { restoredData } = context.store.folder(record.name)
  const { component } = storeOf(record.spec)
  const header = await logicalHeader(file)
  await context.findBinaries(record, operation)
  const contained = header?.revision ?? (await snapshotRevision(file))
  const revisionFloor = revisionAbove(record.revisionFloor ?? 0, revision, contained)
  await rm(restoredData, { recursive: true, force: true })
  const source = header === undefined ? 'database' : 'keys'
  const expected = await LOADS[component][source](context, record, {
    file,
    revisionFloor,
    contained,
    operation,
  })
  return { revisionFloor, ...(expected === undefined ? {} : { expected }) }
}

const databaseToEtcd: Load = async (context, record, loading) => {
  const { contained, file, operation, revisionFloor } = loading
  const { restoredData: dataFolder } = context.store.folder(record.name)
  const bump = revisionFloor - contained
  await runEtcdutl(context, record, { bump, dataFolder, file, operation })
  return undefined
}

/** An empty etcd gets the later revisions, and then the keys. */
const keysToEtcd: Load = async (context, record, { file, operation, revisionFloor }) => {
  const { restoredData: dataFolder } = context.store.folder(record.name)
  const binary = await context.findEtcd(record, operation)
  await using folder = await createTemporaryFolder()
  const empty = join(folder.path, 'empty')
  await (
    await temporaryEtcd(context, record, { binary, dataFolder: empty, operation })
  )[Symbol.asyncDispose]()
  const database = join(empty, 'member/snap/db')
  const bump = revisionFloor - (await snapshotRevision(database))
  await runEtcdutl(context, record, {
    bump,
    dataFolder,
    file: database,
    isDatabase: true,
    operation,
  })
  const fingerprint = new Fingerprint()
  await using etcd = await temporaryEtcd(context, record, { binary, dataFolder, operation })
  const { signal } = operation
  await putKeys(etcd.connection, countedKeys(logicalKeys(file), { fingerprint, signal }), signal)
  return fingerprint.end()
}

const keysToKine: Load = (context, record, { file, operation, revisionFloor }) =>
  kineOf(context, record, { keys: logicalKeys(file), operation, revisionFloor })

/** Only etcd can read its database: one runs meanwhile. */
const databaseToKine: Load = async (context, record, { file, operation, revisionFloor }) => {
  const binary = await context.findEtcd(record, operation)
  await using folder = await createTemporaryFolder()
  const dataFolder = join(folder.path, 'etcd')
  await runEtcdutl(context, record, { bump: 1, dataFolder, file, operation })
  await using etcd = await temporaryEtcd(context, record, { binary, dataFolder, operation })
  const { connection } = etcd
  const { signal } = operation
  const revision = await currentRevision(connection, signal)
  const keys = keysAt(connection, { revision, signal })
  // Until its end, etcd must run.
  return await kineOf(context, record, { keys, operation, revisionFloor })
}

const LOADS = {
  etcd: { database: databaseToEtcd, keys: keysToEtcd },
  kine: { database: databaseToKine, keys: keysToKine },
} as const satisfies Record<string, Record<'database' | 'keys', Load>>

interface KineData extends Pick<Loading, 'operation' | 'revisionFloor'> {
  keys: AsyncIterable<LogicalKey>
}

/** Keys of any store as the data of kine: a file of sqlite, or rows in a database. */
async function kineOf(
  { store }: StartContext,
  record: PlaneRecord,
  { keys, operation, revisionFloor }: KineData,
): Promise<DataFingerprint> {
  const folder = store.folder(record.name)
  const { restoredData, sqliteFile } = folder
  const fingerprint = new Fingerprint()
  const { title } = storeOf(record.spec)
  const { signal } = operation
  const read = countedKeys(keys, { fingerprint, signal })
  const rows = kineRows(read, { revision: revisionFloor, title })
  if (databaseOf(record.spec) === undefined) {
    await mkdir(restoredData, { mode: 0o700 })
    await writeSqlite(join(restoredData, basename(sqliteFile)), rows)
  } else {
    await using server = await openForRestore(record, folder)
    // The database of a plane that is created from a bundle does not exist yet, and another may be lost.
    await server.ensure()
    await server.data.load(rows)
  }
  return fingerprint.end()
}
