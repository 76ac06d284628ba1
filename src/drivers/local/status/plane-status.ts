import { COMPONENT_NAMES, type ComponentName } from '../../../control-plane/plane/plane.ts'
import type { ComponentStatus, PlaneStatus } from '../../../control-plane/status/plane-status.ts'
import { fenceOf } from '../../../control-plane/plane/fence.ts'
import { idleReason } from '../../../control-plane/status/idle-reason.ts'
import { lastWords } from '../logs/last-words.ts'
import {
  type ProcessRecord,
  readProcessRecord,
} from '../../../shared/processes/launch/process-record.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import { serverOf } from '../components/local-layout.ts'
import { runningComponents } from '../components/running-components.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord, Ports } from '../store/plane-record.ts'
import type { PlaneStore } from '../store/plane-store.ts'
import { certificateExpiry } from '../certificates/certificate-expiry.ts'
import { apiProblem, controllerManagerProblem } from './component-problem.ts'
import { readKeeperStatus } from './keeper-status.ts'

/** The port that clients of a component use. */
const PORT_OF = {
  etcd: 'etcdClient',
  'kube-apiserver': 'apiServer',
  'kube-controller-manager': 'controllerManager',
} as const satisfies Record<ComponentName, keyof Ports>

/** What was started less than this long ago and does not answer is starting, not broken. */
const START_MS = 60_000

/**
 * How a local plane is: which processes live, and what its API and its controllers say of themselves. Whoever knows already
 * when its first certificate ends may say so, as looking takes time.
 */
export async function planeStatus(
  { store, table }: { store: PlaneStore; table: ProcessTable },
  record: PlaneRecord,
  expiry = certificateExpiry(store.folder(record.name)),
): Promise<PlaneStatus> {
  const folder = store.folder(record.name)
  const running = runningComponents(folder, table)
  const server = serverOf(record.ports)
  const [problem, ...components] = await Promise.all([
    running.size === COMPONENT_NAMES.length ? apiProblem(server, folder) : undefined,
    ...COMPONENT_NAMES.map((name) => componentStatus(name, { record, folder, running })),
  ])
  return {
    ...phaseOf(record, { components, problem, running }),
    components,
    server,
    ...(expiry === undefined ? {} : { certificatesExpireAt: expiry }),
    ...readKeeperStatus(folder, record),
  }
}

interface Look {
  folder: PlaneFolder
  running: ReadonlyMap<ComponentName, ProcessRecord>
}

async function componentStatus(
  name: ComponentName,
  { folder, record, running }: Look & { record: PlaneRecord },
): Promise<ComponentStatus> {
  const alive = running.get(name)
  const address = `127.0.0.1:${record.ports[PORT_OF[name]]}`
  if (alive !== undefined) {
    const startedAt = new Date(alive.startedAt)
    const where = { name, instance: `pid ${alive.processId}`, startedAt, address }
    const reason =
      name === 'kube-controller-manager' && !isYoung(alive)
        ? await controllerManagerProblem(`https://${address}`, folder)
        : undefined
    return reason === undefined
      ? { ...where, state: 'running' }
      : { ...where, state: 'failed', reason }
  }
  if (record.desired === 'paused' || running.size === 0) {
    return { name, state: 'stopped' }
  }
  if (readProcessRecord(folder.processOf(name)) === undefined) {
    return { name, state: 'stopped', reason: 'not started yet' }
  }
  const [lastLine] = await lastWords(folder.logOf(name), 1)
  return { name, state: 'failed', reason: `ended: ${lastLine ?? 'it wrote nothing'}` }
}

function phaseOf(
  record: PlaneRecord,
  {
    components,
    problem,
    running,
  }: Pick<Look, 'running'> & {
    components: readonly ComponentStatus[]
    /** Why its API is not ready while all components run. */
    problem: string | undefined
  },
): Pick<PlaneStatus, 'phase' | 'reason' | 'hints'> {
  const fence = fenceOf(record)
  if (fence !== undefined) {
    return { phase: 'Fenced', reason: fence }
  }
  if (record.restoring !== undefined && running.size < COMPONENT_NAMES.length) {
    return { phase: 'NotReady', reason: 'its data is being restored, or that was cut off' }
  }
  if (record.desired === 'paused') {
    return running.size === 0
      ? { phase: 'Paused', ...idleReason(record.idleSince) }
      : { phase: 'NotReady', reason: 'it is to rest, and components still run' }
  }
  const plane = { name: record.name }
  if (!record.isBootstrapped) {
    const hint = { purpose: 'to continue', action: 'create', plane } as const
    return { phase: 'Creating', reason: 'not finished yet', hints: [hint] }
  }
  if (running.size === 0) {
    const reason = 'any use of its context starts it'
    return { phase: 'Stopped', reason, hints: [{ action: 'resume', plane }] }
  }
  const dead = components.find(({ state }) => state === 'failed')
  if (dead !== undefined) {
    return { phase: 'NotReady', reason: `${dead.name} ${dead.reason ?? 'has ended'}` }
  }
  const waiting = components.find(({ state }) => state === 'stopped')
  const reason = waiting === undefined ? problem : `${waiting.name} is not started yet`
  if (reason === undefined) {
    return { phase: 'Ready' }
  }
  return { phase: [...running.values()].some(isYoung) ? 'Starting' : 'NotReady', reason }
}

function isYoung({ startedAt }: ProcessRecord): boolean {
  return Date.now() - Date.parse(startedAt) < START_MS
}
