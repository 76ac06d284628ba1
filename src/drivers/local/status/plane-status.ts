import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  COMPONENT_NAMES,
  type ComponentName,
  type ComponentStatus,
  type PlaneStatus,
} from '../../../control-plane/plane.ts'
import { createKubeClient } from '../../../kube/client.ts'
import { lastWords } from '../logs/last-words.ts'
import { type ProcessRecord, readProcessRecord } from '../../../shared/processes/process-record.ts'
import type { ProcessTable } from '../../../shared/processes/process-table.ts'
import { serverOf } from '../start/local-layout.ts'
import { runningComponents } from '../start/running-components.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord, Ports } from '../store/plane-record.ts'
import type { PlaneStore } from '../store/plane-store.ts'
import { certificateExpiry } from './certificate-expiry.ts'

/** A healthy API server answers in milliseconds; one that takes longer than this is not. */
const HEALTH_TIMEOUT_MS = 2000

/** The port that clients of a component use. */
const PORT_OF = {
  etcd: 'etcdClient',
  'kube-apiserver': 'apiServer',
  'kube-controller-manager': 'controllerManager',
} as const satisfies Record<ComponentName, keyof Ports>

/** A plane that was started less than this long ago and does not answer is starting, not broken. */
const START_MS = 60_000

/**
 * How a local plane is: which processes live, and what its API says of itself. Whoever knows already when its first
 * certificate ends may say so, as looking takes time.
 */
export async function planeStatus(
  { store, table }: { store: PlaneStore; table: ProcessTable },
  record: PlaneRecord,
  expiry = certificateExpiry(store.folder(record.name)),
): Promise<PlaneStatus> {
  const folder = store.folder(record.name)
  const running = runningComponents(folder, table)
  const components = await Promise.all(
    COMPONENT_NAMES.map((name) => componentStatus(name, { record, folder, running })),
  )
  return {
    ...(await phaseOf(record, { folder, components, running })),
    components,
    server: serverOf(record.ports),
    ...(expiry === undefined ? {} : { certificatesExpireAt: expiry }),
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
    return { name, state: 'running', instance: `pid ${alive.processId}`, startedAt, address }
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

async function phaseOf(
  record: PlaneRecord,
  { components, folder, running }: Look & { components: readonly ComponentStatus[] },
): Promise<Pick<PlaneStatus, 'phase' | 'reason'>> {
  if (record.desired === 'paused') {
    return running.size === 0
      ? { phase: 'Paused' }
      : { phase: 'NotReady', reason: 'it is to rest, and components still run' }
  }
  if (!record.isBootstrapped) {
    return { phase: 'Creating', reason: `not finished yet: vplane create ${record.name} goes on` }
  }
  if (running.size === 0) {
    return { phase: 'Stopped', reason: 'any use of its context starts it, or vplane resume' }
  }
  const dead = components.find(({ state }) => state === 'failed')
  if (dead !== undefined) {
    return { phase: 'NotReady', reason: `${dead.name} ${dead.reason ?? 'has ended'}` }
  }
  const waiting = components.find(({ state }) => state === 'stopped')
  const health =
    waiting === undefined ? await apiHealth(record, folder) : `${waiting.name} is not started yet`
  const isYoung = [...running.values()].some(
    ({ startedAt }) => Date.now() - Date.parse(startedAt) < START_MS,
  )
  if (health !== undefined && isYoung) {
    return { phase: 'Starting', reason: health }
  }
  return health === undefined ? { phase: 'Ready' } : { phase: 'NotReady', reason: health }
}

/** Why the API is not ready; undefined when it is. */
async function apiHealth(record: PlaneRecord, folder: PlaneFolder): Promise<string | undefined> {
  try {
    const certificateAuthority = await readFile(join(folder.pki, 'ca.crt'), 'utf8')
    await using client = createKubeClient({ server: serverOf(record.ports), certificateAuthority })
    const { body, status } = await client.text('/readyz', {
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
    })
    const failed = body.split('\n').filter((line) => line.startsWith('[-]'))
    return status === 200
      ? undefined
      : `the API is not ready: ${failed.join(', ') || `HTTP ${status}`}`
  } catch {
    // Whatever it is, the API cannot be used: that is what a status says.
    return 'the API does not answer'
  }
}
