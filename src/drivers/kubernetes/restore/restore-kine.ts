import type { RestoreRequest } from '../../../control-plane/driver/requests.ts'
import { helperImageOf } from '../../../control-plane/spec/resolve-host-spec.ts'
import { isAtServer, storeOf } from '../../../control-plane/store/store.ts'
import { dataDifference } from '../../../data/data-difference.ts'
import { dropFormer, dropLeftFormer } from '../../../data/drop-former.ts'
import { logicalRows } from '../../../data/logical-rows.ts'
import { currentRevision } from '../../../etcd/data/read-keys.ts'
import { latestRevision } from '../../../etcd/status/member-status.ts'
import { isVplaneError, VplaneError } from '../../../shared/errors.ts'
import { compactTime } from '../../../shared/text/compact-time.ts'
import type { Host, KubernetesContext, PlaneOperation } from '../context/context.ts'
import { databaseIn } from '../database/database-files.ts'
import { hostedEtcd } from '../etcd/hosted-etcd.ts'
import { waitForEtcd } from '../etcd/wait-for-etcd.ts'
import { repairPlane } from '../maintain/repair-plane.ts'
import { storeObjects } from '../objects/store-objects.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import { holdPlane, refuseDataLoss } from '../record/hold-plane.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { stopComponents } from '../workloads/stop-components.ts'
import { checkImages } from './check-images.ts'
import { databaseData, type KineData, type KineDataOptions } from './kine-data.ts'
import { scaleKine } from './scale-kine.ts'
import { stopForRestore } from './stop-for-restore.ts'
import { volumeData } from './volume-data.ts'

/**
 * Replaces the data of a plane whose store is kine with that of a logical snapshot, and starts the plane. It creates the new
 * data before it stops anything. An interrupted restore begins again when it is called again. If kine does not have the data
 * of the snapshot then, it puts the former data back.
 *
 * @throws {VplaneError} `UNSUPPORTED` for another snapshot, `FAILED` when kine does not have its data then, what the server of
 * a database throws, what `checkImages` throws, `COMPONENT_FAILED` when the pod of kine cannot run, `TIMED_OUT`.
 */
export async function restoreKine(
  context: KubernetesContext,
  { id, operation, place, request }: PlaneOperation & { request: RestoreRequest },
): Promise<void> {
  const host = await context.host()
  const { api } = host
  const { now } = context
  const { signal, ui } = operation
  const held = { place, id, operation: 'restore', now } as const
  await using hold = await holdPlane(host, held, operation)
  const { journal } = hold
  const before = journal.record
  const snapshot = await snapshotOf(before, request, signal)
  const helperImage = request.helperImage ?? helperImageOf(before.spec)
  await using data = await dataOf(context, host, { place, id, journal, helperImage, operation })
  await dropLeftFormer(data, before)
  ui.step('Loading the snapshot')
  await data.load(snapshot.rows)
  const { revisionFloor } = snapshot
  // An interrupted restore may have moved the former data there already: the current data is not the former one.
  const restoring = {
    former: `kine-before-${compactTime(now())}`,
    keepFormer: request.keepFormer,
    ...before.restoring,
    from: request.from,
  }
  const begun = { desired: 'running', idleSince: undefined, neverStarted: undefined } as const
  const { former, keepFormer } = restoring
  const formerData = keepFormer ? undefined : former
  await journal.step('stopping', { ...begun, restoring, revisionFloor, formerData })
  await stopForRestore(api, journal, { place, store: 'kine', former, operation })
  ui.step('Replacing the data')
  await journal.step('replacing the data')
  const kine = { place, id, journal, operation }
  const giveUp = async (problem: string, hint: string, isExchanged: boolean) => {
    const isBack = await goBack(context, host, { ...kine, before, data, former, isExchanged })
    const message = isBack ? `${problem}; it has its former data again` : problem
    return new VplaneError('FAILED', message, { hints: [hint] })
  }
  try {
    await data.exchange(former)
  } catch (error) {
    signal.throwIfAborted()
    const isRefusal = isVplaneError(error, 'FAILED')
    if (!isAtServer(before.spec) || !isRefusal) {
      throw error
    }
    throw await giveUp(error.message, 'run the command again when the server accepts it', false)
  }
  await scaleKine(host, { ...kine, replicas: 1 })
  await waitForEtcd(context, host, { place, component: 'kine', id, operation })
  ui.step('Verifying the data')
  const connection = await hostedEtcd(host, { ...place, component: 'kine' }, signal)
  const expected = snapshot.expected()
  const problem = await dataDifference(connection, before, { expected, signal })
  if (problem !== undefined) {
    throw await giveUp(problem, 'run the command again', true)
  }
  const settle = async () => {
    const connect = () => hostedEtcd(host, { ...place, component: 'kine' }, signal)
    const known = { known: revisionFloor, read: currentRevision, signal }
    const latest = await latestRevision(connect, known)
    const hasData = { hasData: true, restoring: undefined, revisionFloor: latest }
    await journal.step('starting', hasData)
  }
  if (request.untilSound !== undefined) {
    await request.untilSound()
    await settle()
  }
  ui.step(`Starting Kubernetes ${before.spec.version}`)
  await repairPlane(api, journal, { place, now, signal })
  await request.untilAnswers()
  await settle()
  await journal.finish()
  if (keepFormer) {
    ui.note(`Its former data is retained in ${data.describe(former)}`)
  } else if (await dropFormer(data, former, operation)) {
    await journal.finish({ formerData: undefined })
  }
}

async function snapshotOf(
  { name, revisionFloor = 0, spec }: PlaneRecord,
  { file, from, revision }: RestoreRequest,
  signal: AbortSignal,
) {
  const snapshot = await logicalRows(file, {
    known: [revisionFloor, revision],
    prefix: spec.etcd.prefix,
    title: storeOf(spec).title,
    signal,
  })
  if (snapshot === undefined) {
    throw new VplaneError('UNSUPPORTED', `"${from}" cannot be restored to "${name}": it is of etcd`)
  }
  return snapshot
}

/** Where kine of a plane has its data. Checks that the host can run what replaces it. */
async function dataOf(
  context: KubernetesContext,
  host: Host,
  options: KineDataOptions,
): Promise<KineData> {
  const { helperImage, journal, operation, place } = options
  const { record } = journal
  const files = await storedKeys(host.api, place, operation.signal)
  const facts = databaseIn(files, place)
  if (facts !== undefined) {
    return databaseData({ databases: context.databases, host }, { ...options, facts })
  }
  refuseDataLoss(record, ['create another plane, and restore the snapshot to it'])
  const { statefulSet } = storeObjects({ files, journal, place })
  await checkImages(host, { place, component: 'kine', statefulSet, helperImage, operation })
  return volumeData(context, host, options)
}

type Kine = Pick<KineDataOptions, 'id' | 'journal' | 'operation' | 'place'>

interface Back {
  /** The plane before the restore. */
  before: PlaneRecord
  data: KineData
  former: string
  /** Its current data is the new data. Otherwise it is the former data, unless that was set aside. */
  isExchanged: boolean
}

/** Gives the plane its former data and state again: no client has seen the new data. Returns false if it had none. */
async function goBack(
  context: KubernetesContext,
  host: Host,
  { before, data, former, isExchanged, ...kine }: Kine & Back,
): Promise<boolean> {
  const { journal, operation, place } = kine
  const { api } = host
  operation.ui.step('Putting the former data back')
  await stopComponents(api, journal, { place, components: ['kine'], operation })
  if (!before.hasData || (!(await data.putBack(former)) && isExchanged)) {
    return false
  }
  await scaleKine(host, { ...kine, replicas: 0 })
  const { desired, idleSince, neverStarted } = before
  const ended = { restoring: undefined, formerData: undefined }
  await journal.step('starting', { desired, idleSince, neverStarted, ...ended })
  if (desired === 'running') {
    await repairPlane(api, journal, { place, now: context.now, signal: operation.signal })
  }
  await journal.finish()
  return true
}
