import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import { logicalHeader, logicalKeys } from '../../../backup/logical/read-logical.ts'
import type { LogicalKey } from '../../../backup/logical/logical-format.ts'
import {
  restoreArguments,
  revisionAbove,
} from '../../../control-plane/components/arguments/restore-arguments.ts'
import type { RestoreRequest } from '../../../control-plane/driver/requests.ts'
import type { DataFingerprint } from '../../../control-plane/plane/data-fingerprint.ts'
import { storeOf } from '../../../control-plane/store/store.ts'
import { Fingerprint } from '../../../etcd/data/data-fingerprint.ts'
import { snapshotRevision } from '../../../etcd/data/snapshot-revision.ts'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { localLayout } from '../components/local-layout.ts'
import type { StartContext } from '../components/start-context.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { writeSqlite } from './write-sqlite.ts'

export interface PreparedData {
  /** Its revisions are later; this one and all before it count as compacted. */
  revisionFloor: number
  /** What the store must contain when it runs. @default the program that created the data has checked it */
  expected?: DataFingerprint
}

type Prepare = (
  context: StartContext,
  record: PlaneRecord,
  request: Pick<RestoreRequest, 'file' | 'revision'> & { operation: HeldOperation },
) => Promise<PreparedData>

/**
 * Creates the data of a plane's store from a snapshot of either format, in a folder beside its current data.
 * @throws {VplaneError} `FAILED` when the snapshot cannot be read, or a program is missing.
 */
export const prepareData: Prepare = async (context, record, request) => {
  const header = await logicalHeader(request.file)
  const { component, title } = storeOf(record.spec)
  await context.findBinaries(record, request.operation)
  if (component === 'etcd' && header === undefined) {
    return dataByEtcdutl(context, record, request)
  }
  if (component === 'kine' && header !== undefined) {
    return sqliteData(context, record, { ...request, contained: header.revision })
  }
  const message = `this snapshot cannot be restored to a plane with the store ${title}`
  throw new VplaneError('UNSUPPORTED', message)
}

async function sqliteData(
  context: StartContext,
  record: PlaneRecord,
  { contained, file, revision }: Parameters<Prepare>[2] & { contained: number },
): Promise<PreparedData> {
  const folder = context.store.folder(record.name)
  await rm(folder.restoredData, { recursive: true, force: true })
  await mkdir(folder.restoredData, { mode: 0o700 })
  const revisionFloor = revisionAbove(record.revisionFloor ?? 0, revision, contained)
  const fingerprint = new Fingerprint()
  await writeSqlite({
    file: join(folder.restoredData, basename(folder.sqliteFile)),
    keys: counted(logicalKeys(file), fingerprint),
    revision: revisionFloor,
  })
  return { revisionFloor, expected: fingerprint.end() }
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

const dataByEtcdutl: Prepare = async (context, record, { file, operation, revision }) => {
  const folder = context.store.folder(record.name)
  const etcdutl = await context.findEtcdutl(record, operation)
  const contained = await snapshotRevision(file)
  const revisionFloor = revisionAbove(record.revisionFloor ?? 0, revision, contained)
  await rm(folder.restoredData, { recursive: true, force: true })
  const { etcd } = localLayout(record, folder)
  const bump = revisionFloor - contained
  const args = restoreArguments({ etcd, file, bump, dataFolder: folder.restoredData })
  const result = await execa(etcdutl, args, {
    env: { PATH: context.environment['PATH'] },
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    cancelSignal: operation.signal,
  })
  operation.signal.throwIfAborted()
  if (result.failed) {
    const [message = messageOf(result)] = result.stderr.trim().split('\n').slice(-1)
    const text = `etcdutl cannot restore "${file}": ${message}`
    throw new VplaneError('FAILED', text, { cause: result })
  }
  return { revisionFloor }
}
