import { servingOf, type ServingName } from '../../../control-plane/plane/plane.ts'
import type { Diagnosis, PlaneFault } from '../../../control-plane/driver/repair.ts'
import { listAlarms } from '../../../etcd/status/alarms.ts'
import { damageIn } from '../../../etcd/repair/data-damage.ts'
import { freeSpace } from '../../../etcd/repair/free-space.ts'
import { diagnoseMembers, type MemberFacts } from '../../../etcd/repair/diagnose-members.ts'
import { canStore, ownStoreOf } from '../../../control-plane/store/store.ts'
import { rangeOverGrpc } from '../../../etcd/data/range-over-grpc.ts'
import { hasKeys } from '../../../etcd/shared/has-keys.ts'
import { messageOf } from '../../../shared/errors.ts'
import { isWorking, memberStatus } from '../../../etcd/status/member-status.ts'
import { localEtcd } from '../components/local-etcd.ts'
import { lastWords } from '../logs/read-log.ts'
import { hasStoredData } from '../components/local-layout.ts'
import { storedSharedEtcd } from '../components/plane-etcd-access.ts'
import { runningComponents } from '../components/running-components.ts'
import type { StartContext } from '../components/start-context.ts'
import { stopComponent } from '../components/stop-components.ts'
import { startPlane } from '../lifecycle/start-plane.ts'
import { planeStatus } from '../status/plane-status.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'

type DiagnosisContext = Pick<StartContext, 'store' | 'table' | 'now'>

/** Long enough for a busy machine. */
const READ_TIMEOUT_MS = 10_000

/** An etcd that does not answer is starting, not stuck, for this long after its start. */
const START_MS = 10_000

/** The last lines of the log in which etcd reports why it ended. */
const LOG_LINES = 100

/** Finds the faults of a local plane that is to run. It changes nothing. */
export async function diagnosePlane(
  context: DiagnosisContext,
  record: PlaneRecord,
  signal: AbortSignal,
): Promise<Diagnosis> {
  const { store, table } = context
  if (!record.isBootstrapped) {
    const [component = 'kube-apiserver'] = servingOf(record.spec)
    return { faults: [faultOf(component, 'its creation was interrupted', 'start')] }
  }
  const running = runningComponents(store.folder(record.name), table)
  const faults = await storeFaults(context, record, signal)
  const ended = servingOf(record.spec)
    .filter((name) => name !== ownStoreOf(record.spec) && !running.has(name))
    .map((name) => faultOf(name, 'it has ended', 'start'))
  const found = [...faults, ...ended]
  return { faults: found.length > 0 ? found : await stuckApi(context, record) }
}

/** Time for a stuck process to end by itself. */
const GRACE_MS = 2000

/**
 * Repairs the current faults of a plane: ends stuck components, starts those that do not run, and frees space in a full
 * etcd. The caller holds the plane's lock.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when a component does not start, `FAILED` when etcd stays full.
 */
export async function repairPlane(
  context: StartContext,
  record: PlaneRecord,
  operation: HeldOperation,
): Promise<void> {
  const { faults } = await diagnosePlane(context, record, operation.signal)
  const stuck = faults.filter(({ remedy }) => remedy === 'restart')
  if (stuck.length > 0) {
    // Before anything is stopped, since it may fail.
    await context.findBinaries(record, operation)
  }
  await operation.begin?.('repairing')
  for (const component of servingOf(record.spec)) {
    if (stuck.some((fault) => fault.component === component)) {
      await stopComponent(context, record.name, { component, graceMs: GRACE_MS, operation })
    }
  }
  await startPlane(context, record, { operation, wait: true })
  if (faults.some(({ remedy }) => remedy === 'free-space')) {
    await freeSpace([await localEtcd(context, record.name)], operation)
  }
}

async function storeFaults(
  context: DiagnosisContext,
  record: PlaneRecord,
  signal: AbortSignal,
): Promise<readonly PlaneFault[]> {
  const ofStore = ownStoreOf(record.spec)
  if (ofStore === undefined) {
    return sharedFaults(context, record, signal)
  }
  return ofStore === 'kine'
    ? kineFaults(context, record, signal)
    : diagnoseMembers([await readEtcd(context, record, signal)]).faults
}

async function readEtcd(
  { now, store, table }: DiagnosisContext,
  record: PlaneRecord,
  signal: AbortSignal,
): Promise<MemberFacts> {
  const folder = store.folder(record.name)
  const alive = runningComponents(folder, table).get('etcd')
  const facts = { instance: 'etcd', status: undefined, alarms: [] }
  if (record.hasData && !hasStoredData(record, folder)) {
    return { ...facts, state: alive === undefined ? 'ended' : 'running', damage: 'lost' }
  }
  if (alive === undefined) {
    const logged = damageIn(await lastWords(folder.logOf('etcd'), LOG_LINES))
    // A single member has no other to differ from.
    const damage = logged === 'inconsistent' ? undefined : logged
    return { ...facts, state: damage === undefined ? 'missing' : 'ended', damage }
  }
  const isYoung = now().getTime() - Date.parse(alive.startedAt) < START_MS
  const state = isYoung ? 'starting' : 'running'
  const limit = AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)])
  try {
    const connection = await localEtcd({ store, table }, record.name)
    const status = await memberStatus(connection, limit)
    const alarms = isWorking(status) ? await listAlarms(connection, limit) : []
    return { ...facts, state, status, alarms: alarms.map(({ kind }) => kind) }
  } catch {
    // That etcd does not answer is the fault to find.
    signal.throwIfAborted()
    return { ...facts, state }
  }
}

/** The faults of kine and its file. */
async function kineFaults(
  { now, store, table }: DiagnosisContext,
  record: PlaneRecord,
  signal: AbortSignal,
): Promise<PlaneFault[]> {
  const folder = store.folder(record.name)
  if (record.hasData && !hasStoredData(record, folder)) {
    const remedy = canStore(record.spec, 'restores') ? 'restore' : 'none'
    return [faultOf('kine', 'its data is lost', remedy)]
  }
  const alive = runningComponents(folder, table).get('kine')
  if (alive === undefined) {
    return [faultOf('kine', 'it has ended', 'start')]
  }
  const isYoung = now().getTime() - Date.parse(alive.startedAt) < START_MS
  const limit = AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)])
  try {
    const connection = await localEtcd({ store, table }, record.name)
    await rangeOverGrpc(connection, { from: Buffer.from('/'), limit: 1, signal: limit })
    return []
  } catch {
    // That kine does not answer is the fault to find.
    signal.throwIfAborted()
    return isYoung ? [] : [faultOf('kine', 'it does not answer', 'restart')]
  }
}

/** Whether the plane can read its keys in a shared etcd, which vplane does not repair. */
async function sharedFaults(
  context: DiagnosisContext,
  { name }: PlaneRecord,
  signal: AbortSignal,
): Promise<PlaneFault[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)])
  try {
    const { prefix = '' } = storedSharedEtcd(context.store.folder(name)) ?? {}
    const isThere = await hasKeys(await localEtcd(context, name), { prefix, signal: limit })
    return isThere ? [] : [faultOf('etcd', `it has no keys below ${prefix}`, 'restore')]
  } catch (error) {
    signal.throwIfAborted()
    return [faultOf('etcd', messageOf(error), 'none')]
  }
}

/** All components run, but the API does not work. */
async function stuckApi(context: DiagnosisContext, record: PlaneRecord): Promise<PlaneFault[]> {
  const { phase, reason = '' } = await planeStatus(context, record)
  return phase === 'NotReady' ? [faultOf('kube-apiserver', reason, 'restart')] : []
}

function faultOf(component: ServingName, reason: string, remedy: PlaneFault['remedy']): PlaneFault {
  return { component, instance: component, reason, remedy }
}
