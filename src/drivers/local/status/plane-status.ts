import { READY_AGAIN } from '../../../control-plane/api/readiness.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { servingOf, type ServingName } from '../../../control-plane/plane/plane.ts'
import {
  pausedReason,
  type ComponentStatus,
  type PlaneStatus,
} from '../../../control-plane/status/plane-status.ts'
import { isNeverStarted } from '../../../control-plane/plane/recorded-plane.ts'
import { fenceOf } from '../../../control-plane/plane/fence.ts'
import { createKubeClient } from '../../../kube/client/client.ts'
import { lastWords } from '../logs/read-log.ts'
import {
  type ProcessRecord,
  readProcessRecord,
} from '../../../shared/processes/launch/process-record.ts'
import { serverOf } from '../components/local-layout.ts'
import { isComplete, runningComponents } from '../components/running-components.ts'
import type { PlaneContext } from '../components/start-context.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord, Ports } from '../store/plane-record.ts'
import { certificateExpiry } from '../certificates/certificate-expiry.ts'
import { readKeeperStatus } from './keeper-status.ts'

const PORT_OF = {
  etcd: 'etcdClient',
  kine: 'etcdClient',
  'kube-apiserver': 'apiServer',
  'kube-controller-manager': 'controllerManager',
} as const satisfies Record<ServingName, keyof Ports>

/** A component that does not answer is starting, not failed, for this long after its start. */
const START_MS = 60_000

/** A healthy component answers within milliseconds. */
const HEALTH_TIMEOUT_MS = 2000

/**
 * The status of a local plane from its processes and the health endpoints of its components. `expiry` is the expiry of
 * its first certificate, for a caller that has read it.
 */
export async function planeStatus(
  { kept, store, table }: PlaneContext,
  record: PlaneRecord,
  expiry = certificateExpiry(store.folder(record.name)),
): Promise<PlaneStatus> {
  const folder = store.folder(record.name)
  const running = runningComponents(folder, table)
  const server = serverOf(record.ports)
  const plane = { folder, running, kept }
  const isAsked = record.desired === 'running' && isComplete(running, folder)
  const [problem, ...components] = await Promise.all([
    // A paused plane has another program on its port: a question would start it.
    isAsked ? apiProblem(server, plane) : undefined,
    ...servingOf(record.spec).map((name) => componentStatus(name, { record, ...plane })),
  ])
  return {
    ...phaseOf(record, { components, problem, running }),
    components,
    server,
    ...(isAsked ? { isApiReady: problem === undefined } : {}),
    ...(expiry === undefined ? {} : { certificatesExpireAt: expiry }),
    ...readKeeperStatus(folder, record),
  }
}

interface Asked {
  folder: PlaneFolder
  kept: PlaneContext['kept']
}

interface Observed extends Asked {
  running: ReadonlyMap<ServingName, ProcessRecord>
}

async function componentStatus(
  name: ServingName,
  { folder, kept, record, running }: Observed & { record: PlaneRecord },
): Promise<ComponentStatus> {
  const alive = running.get(name)
  const address = `127.0.0.1:${record.ports[PORT_OF[name]]}`
  if (alive !== undefined) {
    const startedAt = new Date(alive.startedAt)
    const process = { name, instance: `pid ${alive.processId}`, startedAt, address }
    const reason =
      name === 'kube-controller-manager' && !isYoung(alive)
        ? await controllerManagerProblem(`https://${address}`, { folder, kept })
        : undefined
    return reason === undefined
      ? { ...process, state: 'running' }
      : { ...process, state: 'failed', reason }
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

interface Judged extends Pick<Observed, 'running'> {
  components: readonly ComponentStatus[]
  /** Why the API is not ready while all components run. */
  problem: string | undefined
}

function phaseOf(
  record: PlaneRecord,
  { components, problem, running }: Judged,
): Pick<PlaneStatus, 'phase' | 'reason' | 'hints'> {
  const fence = fenceOf(record)
  if (fence !== undefined) {
    return { phase: 'Fenced', reason: fence }
  }
  if (record.restoring !== undefined && running.size < servingOf(record.spec).length) {
    return { phase: 'NotReady', reason: 'its data is being restored, or that was interrupted' }
  }
  if (record.desired === 'paused') {
    return running.size === 0
      ? { phase: 'Paused', ...pausedReason({ ...record, isNew: isNeverStarted(record) }) }
      : { phase: 'NotReady', reason: 'it is to be paused, and components still run' }
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

async function apiProblem(server: string, plane: Asked): Promise<string | undefined> {
  const answer = await ask(server, READY_AGAIN, plane)
  if (answer === undefined) {
    return 'the API does not answer'
  }
  const failed = answer.body.split('\n').filter((line) => line.startsWith('[-]'))
  return answer.status === 200
    ? undefined
    : `the API is not ready: ${failed.join(', ') || `HTTP ${answer.status}`}`
}

async function controllerManagerProblem(server: string, plane: Asked): Promise<string | undefined> {
  const answer = await ask(server, '/healthz', plane)
  if (answer === undefined) {
    return 'does not answer'
  }
  return answer.status === 200 ? undefined : `is not healthy: HTTP ${answer.status}`
}

/** Returns undefined for every error: a component that cannot be asked cannot be used. */
async function ask(
  server: string,
  path: string,
  { folder: { pki }, kept }: Asked,
): Promise<{ status: number; body: string } | undefined> {
  try {
    const certificateAuthority = readFileSync(join(pki, 'ca.crt'), 'utf8')
    const connection = { server, certificateAuthority }
    await using client = kept?.client(connection) ?? createKubeClient(connection)
    return await client.text(path, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) })
  } catch {
    return undefined
  }
}
