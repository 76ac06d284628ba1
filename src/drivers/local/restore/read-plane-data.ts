import {
  recordedUnfinished,
  unfinishedError,
} from '../../../control-plane/operations/unfinished.ts'
import type { PlaneData, WantedSnapshot } from '../../../control-plane/driver/snapshot.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import { sharedEtcdOf } from '../../../control-plane/store/store.ts'
import { takeLogicalSnapshot } from '../../../data/take-logical-snapshot.ts'
import { readSnapshot } from '../../../etcd/data/read-snapshot.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { localEtcd } from '../components/local-etcd.ts'
import { runningComponents } from '../components/running-components.ts'
import type { PlaneContext } from '../components/start-context.ts'
import { currentRecord } from '../store/current-record.ts'
import { type PlaneRecord, toPlane } from '../store/plane-record.ts'

/**
 * Reads the data of a plane, as a driver does.
 * @throws {VplaneError} `FAILED` when its store does not run, or a restore replaces its keys in a shared etcd, which can be
 * read at any time.
 */
export async function readPlaneData(
  context: PlaneContext,
  plane: Pick<Plane, 'id' | 'name'>,
  { format, signal }: WantedSnapshot & { signal: AbortSignal },
): Promise<PlaneData> {
  const record = await currentRecord(context.store, plane)
  refuseReplaced(context, record)
  const connection = await localEtcd(context, record.name)
  if (format !== 'logical' && connection.hasGateway !== false) {
    return readSnapshot(connection, signal)
  }
  await using stack = new AsyncDisposableStack()
  const data = stack.use(await takeLogicalSnapshot(connection, record, signal))
  const { revisionFloor } = record
  refuseReplaced(context, await currentRecord(context.store, plane), { revisionFloor })
  stack.move()
  return data
}

/** While kube-apiserver runs, all keys of a plane exist. @param since what each restore changes. */
function refuseReplaced(
  { store, table }: Pick<PlaneContext, 'store' | 'table'>,
  record: PlaneRecord,
  since: Pick<PlaneRecord, 'revisionFloor'> = record,
): void {
  const { name, restoring, spec } = record
  if (sharedEtcdOf(spec) === undefined) {
    return
  }
  const [unfinished] = restoring === undefined ? [] : recordedUnfinished({ restoring })
  const isServed = runningComponents(store.folder(name), table, ['kube-apiserver']).size > 0
  if (unfinished !== undefined && !isServed) {
    throw unfinishedError(toPlane(record), unfinished)
  }
  if (record.revisionFloor !== since.revisionFloor) {
    throw new VplaneError('FAILED', `a restore of "${name}" has replaced its data meanwhile`, {
      hints: ['run the command again'],
    })
  }
}
