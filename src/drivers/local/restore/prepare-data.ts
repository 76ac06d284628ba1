import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type KeyMove, moveKeys } from '../../../backup/logical/move-keys.ts'
import { logicalHeader, logicalKeys } from '../../../backup/logical/read-logical.ts'
import {
  DEFAULT_PREFIX,
  type LogicalHeader,
  type LogicalKey,
  logicalSnapshot,
} from '../../../backup/logical/logical-format.ts'
import {
  removeUnfinishedFiles,
  writeStreamFile,
} from '../../../backup/streams/write-stream-file.ts'
import { revisionAbove } from '../../../control-plane/components/arguments/restore-arguments.ts'
import type { RestoreRequest } from '../../../control-plane/driver/requests.ts'
import type { DataFingerprint } from '../../../control-plane/plane/data-fingerprint.ts'
import { databaseOf, storeOf } from '../../../control-plane/store/store.ts'
import { Fingerprint } from '../../../etcd/data/data-fingerprint.ts'
import { putKeys } from '../../../etcd/data/put-keys.ts'
import { currentRevision, keysAt } from '../../../etcd/data/read-keys.ts'
import { dataAtServer } from '../../../database/data-at-server.ts'
import { snapshotRevision } from '../../../etcd/data/snapshot-revision.ts'
import { createTemporaryFolder } from '../../../shared/files/create-temporary-folder.ts'
import type { StartContext } from '../components/start-context.ts'
import { openForRestore } from '../lifecycle/plane-database.ts'
import { openSharedEtcd } from '../lifecycle/plane-shared-etcd.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { countedKeys } from '../../../data/counted-keys.ts'
import { kineRows } from '../../../data/kine-rows.ts'
import { runEtcdutl } from './run-etcdutl.ts'
import { temporaryEtcd } from './temporary-etcd.ts'
import { writeSqlite } from '../../../data/write-sqlite.ts'

export interface PreparedData {
  /** Its revisions are later. This one and all before it count as compacted, but not in a shared etcd. */
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
  /** Where the keys are in the file and in the store. @default they stay where they are */
  prefixes?: KeyMove
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
 * Creates the data of a plane's store from a snapshot of either format, beside its current data, or leaves nothing there.
 * @throws {VplaneError} `FAILED` when the snapshot cannot be read, or a program is missing, and what the server of its
 * database throws.
 */
export async function prepareData(
  context: StartContext,
  record: PlaneRecord,
  { file, operation, revision }: PrepareRequest,
): Promise<PreparedData> {
  const folder = context.store.folder(record.name)
  const header = await logicalHeader(file)
  await context.findBinaries(record, operation)
  const contained = header?.revision ?? (await snapshotRevision(file))
  const known = [record.revisionFloor ?? 0, revision, contained]
  const asked = { ...operation, known: Math.max(...known), now: context.now() }
  const shared = await openSharedEtcd(record, folder, asked)
  const revisionFloor = shared?.revision ?? revisionAbove(...known)
  const remove = () => rm(folder.restoredData, { recursive: true, force: true })
  await remove()
  await removeUnfinishedFiles(folder.root)
  await using stack = new AsyncDisposableStack()
  stack.defer(remove)
  const store = shared === undefined ? storeOf(record.spec).component : 'shared'
  const source = header === undefined ? 'database' : 'keys'
  const expected = await LOADS[store][source](context, record, {
    file,
    ...prefixesOf(record, header, shared),
    revisionFloor,
    contained,
    operation,
  })
  stack.move()
  return { revisionFloor, ...(expected === undefined ? {} : { expected }) }
}

/** A snapshot that etcd has sent does not name the prefix of its keys. */
function prefixesOf(
  { spec }: PlaneRecord,
  header: LogicalHeader | undefined,
  shared: { prefix: string } | undefined,
): Pick<Loading, 'prefixes'> {
  const to = shared?.prefix ?? spec.etcd.prefix ?? DEFAULT_PREFIX
  const unnamed = shared === undefined ? to : DEFAULT_PREFIX
  const from = header === undefined ? unnamed : (header.prefix ?? DEFAULT_PREFIX)
  const isGuessed = header === undefined
  return from === to && shared === undefined ? {} : { prefixes: { from, to, isGuessed } }
}

const databaseToEtcd: Load = async (context, record, loading) => {
  const { contained, file, operation, revisionFloor } = loading
  const { restoredData: dataFolder } = context.store.folder(record.name)
  const bump = revisionFloor - contained
  await runEtcdutl(context, record, { bump, dataFolder, file, operation })
  return undefined
}

/** An empty etcd gets the later revisions, and then the keys. */
const keysToEtcd: Load = async (context, record, loading) => {
  const { operation, revisionFloor } = loading
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
  const keys = countedKeys(keysIn(loading), { fingerprint, signal })
  await putKeys(etcd.connection, keys, signal)
  return fingerprint.end()
}

function keysIn({ file, prefixes }: Loading): AsyncIterable<LogicalKey> {
  return moved(logicalKeys(file), prefixes)
}

function moved(
  keys: AsyncIterable<LogicalKey>,
  prefixes: Loading['prefixes'],
): AsyncIterable<LogicalKey> {
  return prefixes === undefined ? keys : moveKeys(keys, prefixes)
}

interface KeyData extends Pick<Loading, 'operation' | 'revisionFloor'> {
  keys: AsyncIterable<LogicalKey>
}

/** Creates the data of a store from the keys of any other. */
type LoadKeys = (
  context: StartContext,
  record: PlaneRecord,
  data: KeyData,
) => Promise<DataFingerprint>

const fromKeys =
  (load: LoadKeys): Load =>
  (context, record, loading) =>
    load(context, record, { ...loading, keys: keysIn(loading) })

/** Only etcd can read its database: one runs meanwhile. */
const fromDatabase =
  (load: LoadKeys): Load =>
  async (context, record, { file, operation, prefixes, revisionFloor }) => {
    const binary = await context.findEtcd(record, operation)
    await using folder = await createTemporaryFolder()
    const dataFolder = join(folder.path, 'etcd')
    await runEtcdutl(context, record, { bump: 1, dataFolder, file, operation })
    await using etcd = await temporaryEtcd(context, record, { binary, dataFolder, operation })
    const { connection } = etcd
    const { signal } = operation
    const revision = await currentRevision(connection, signal)
    const keys = moved(keysAt(connection, { revision, signal }), prefixes)
    // Until its end, etcd must run.
    return await load(context, record, { keys, operation, revisionFloor })
  }

/** A file of sqlite, or rows in a database. */
const toKine: LoadKeys = async ({ store }, record, { keys, operation, revisionFloor }) => {
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
    await dataAtServer(() => openForRestore(record, folder)).load(rows)
  }
  return fingerprint.end()
}

/** The keys of a shared etcd are replaced when kube-apiserver does not run: until then, the new ones are in a file. */
const toFile: LoadKeys = async ({ store }, { name, spec }, { keys, operation, revisionFloor }) => {
  const fingerprint = new Fingerprint()
  const { signal } = operation
  const { title } = storeOf(spec)
  const header = { revision: revisionFloor, kubernetesVersion: spec.version, store: title }
  const bytes = logicalSnapshot(header, countedKeys(keys, { fingerprint, signal }))
  await writeStreamFile(store.folder(name).restoredData, bytes)
  return fingerprint.end()
}

const LOADS = {
  etcd: { database: databaseToEtcd, keys: keysToEtcd },
  kine: { database: fromDatabase(toKine), keys: fromKeys(toKine) },
  shared: { database: fromDatabase(toFile), keys: fromKeys(toFile) },
} as const satisfies Record<string, Record<'database' | 'keys', Load>>
