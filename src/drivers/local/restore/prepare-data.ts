import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { logicalHeader, logicalKeys } from '../../../backup/logical/read-logical.ts'
import type { LogicalKey } from '../../../backup/logical/logical-format.ts'
import { revisionAbove } from '../../../control-plane/components/arguments/restore-arguments.ts'
import type { RestoreRequest } from '../../../control-plane/driver/requests.ts'
import type { DataFingerprint } from '../../../control-plane/plane/data-fingerprint.ts'
import { storeOf } from '../../../control-plane/store/store.ts'
import { Fingerprint } from '../../../etcd/data/data-fingerprint.ts'
import { putKeys } from '../../../etcd/data/put-keys.ts'
import { currentRevision, keysAt } from '../../../etcd/data/read-keys.ts'
import { snapshotRevision } from '../../../etcd/data/snapshot-revision.ts'
import { createTemporaryFolder } from '../../../shared/files/create-temporary-folder.ts'
import type { StartContext } from '../components/start-context.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { runEtcdutl } from './run-etcdutl.ts'
import { temporaryEtcd } from './temporary-etcd.ts'
import { writeSqlite } from './write-sqlite.ts'

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
 * Creates the data of a plane's store from a snapshot of either format, in a folder beside its current data.
 * @throws {VplaneError} `FAILED` when the snapshot cannot be read, or a program is missing.
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
  await putKeys(etcd.connection, counted(logicalKeys(file), fingerprint), operation.signal)
  return fingerprint.end()
}

const keysToSqlite: Load = (context, record, { file, revisionFloor }) =>
  sqliteOf(context, record, { keys: logicalKeys(file), revisionFloor })

/** Only etcd can read its database: one runs meanwhile. */
const databaseToSqlite: Load = async (context, record, { file, operation, revisionFloor }) => {
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
  return await sqliteOf(context, record, { keys, revisionFloor })
}

const LOADS = {
  etcd: { database: databaseToEtcd, keys: keysToEtcd },
  kine: { database: databaseToSqlite, keys: keysToSqlite },
} as const satisfies Record<string, Record<'database' | 'keys', Load>>

async function sqliteOf(
  { store }: StartContext,
  { name }: PlaneRecord,
  { keys, revisionFloor }: { keys: AsyncIterable<LogicalKey>; revisionFloor: number },
): Promise<DataFingerprint> {
  const { restoredData, sqliteFile } = store.folder(name)
  await mkdir(restoredData, { mode: 0o700 })
  const fingerprint = new Fingerprint()
  const file = join(restoredData, basename(sqliteFile))
  await writeSqlite({ file, keys: counted(keys, fingerprint), revision: revisionFloor })
  return fingerprint.end()
}

async function* counted(
  keys: AsyncIterable<LogicalKey>,
  fingerprint: Fingerprint,
): AsyncGenerator<LogicalKey, void, void> {
  for await (const key of keys) {
    fingerprint.add({ ...key, hasLease: key.ttlSeconds !== undefined })
    yield key
  }
}
