import { randomUUID } from 'node:crypto'
import { readFileSync, statSync, truncateSync } from 'node:fs'
import { createServer } from 'node:net'
import type { PlaneReference } from '../control-plane/plane/plane.ts'
import { VplaneError } from '../shared/errors.ts'
import { acquireFileLock } from '../shared/files/file-lock.ts'
import { makeFolder } from '../shared/files/make-folder.ts'
import { listen } from '../shared/network/listen.ts'
import { chooseLastingPorts, isFree } from '../shared/network/ports.ts'
import { launchProcess } from '../shared/processes/launch/launch-process.ts'
import { isAlive, type ProcessRecord } from '../shared/processes/launch/process-record.ts'
import type { ProcessTable } from '../shared/processes/process-table.ts'
import { waitFor } from '../shared/wait.ts'
import { isUp } from './record/is-up.ts'
import { retireTunnel } from './record/retire-tunnel.ts'
import { type TunnelFolder, tunnelFolderOf } from './record/tunnel-folder.ts'
import {
  clearProblem,
  type HostAccess,
  readTunnel,
  type TunnelRecord,
  type TunnelSettings,
  writeSettings,
} from './record/tunnel-record.ts'
import { isLater } from '../shared/text/version-order.ts'
import { isRecord } from '../shared/json-fields.ts'

export interface TunnelContext {
  /** The folder of all tunnels. */
  root: string
  table: ProcessTable
  /** The command of a tunnel's process, to which `tunnel` and its folder are added. */
  program: readonly [string, ...string[]]
  /** This vplane's version. */
  writtenBy: string
  /** How a new tunnel reaches its host unless `EnsureOptions` name another access. */
  host: HostAccess
  /** Ports that it does not choose, although they are free. @default there are none */
  reservedPorts?: () => Promise<ReadonlySet<number>>
  /** Called with the reason when a tunnel inside of this process cannot reach its plane and retrying does not help. */
  warn?: (text: string) => void
}

/** The requested settings of a tunnel; those that are left out stay as they are. */
export interface EnsureOptions {
  signal: AbortSignal
  /** @default 127.0.0.1 */
  address?: string | undefined
  /** @default a free port outside of the range that systems assign to clients */
  port?: number | undefined
  /** @default 30 minutes */
  idleTimeoutMs?: number | undefined
  /** The upper limit of the idle timeout, in milliseconds, also of a stored one. @default no limit */
  longestIdleMs?: number | undefined
  /** How the tunnel reaches its host from now on: the access of the user who connects. */
  host?: HostAccess | undefined
}

const IDLE_TIMEOUT_MS = 30 * 60_000
const LOCK_MS = 30_000
const START_MS = 15_000
const LOG_LINES = 3
const LOG_BYTES = 256 * 1024

/**
 * Makes sure that a tunnel to a plane runs with the requested settings; it replaces a tunnel with other settings or of
 * an older vplane. The port stays the same as long as no other program uses it.
 *
 * @throws {VplaneError} `FAILED` when another program uses the requested port, and with the end of its log when the tunnel
 *   does not start.
 */
export async function ensureTunnel(
  context: TunnelContext,
  plane: PlaneReference,
  options: EnsureOptions,
): Promise<TunnelRecord> {
  const folder = tunnelFolderOf(context.root, plane)
  const { longestIdleMs = Number.POSITIVE_INFINITY, signal } = options
  const running = await usableTunnel(folder, context, options)
  if (running !== undefined) {
    return running
  }
  await using _lock = await acquireFileLock(folder.changeLock, {
    what: `another vplane that starts the tunnel to "${plane.name}"`,
    timeoutMs: LOCK_MS,
    signal,
  })
  const started = await usableTunnel(folder, context, options)
  if (started !== undefined) {
    return started
  }
  const before = readTunnel(folder)
  await retireTunnel(folder, { table: context.table, signal })
  makeFolder(folder.root)
  const idleTimeoutMs = options.idleTimeoutMs ?? before?.idleTimeoutMs ?? IDLE_TIMEOUT_MS
  const settings = await writeSettings(folder, {
    writtenBy: context.writtenBy,
    address: options.address ?? before?.address ?? '127.0.0.1',
    host: options.host ?? before?.host ?? context.host,
    idleTimeoutMs: Math.min(idleTimeoutMs, longestIdleMs),
    plane,
    port: await choosePort(context, before, options),
    revision: randomUUID(),
  })
  const launched = await launch(folder, settings, context)
  await waitUntilServing(folder, launched, { ...context, signal })
  return readTunnel(folder) ?? settings
}

/** The tunnel if it runs as requested. The caller has just reached the host, so a recorded problem is solved. */
async function usableTunnel(
  folder: TunnelFolder,
  { writtenBy }: TunnelContext,
  options: EnsureOptions,
): Promise<TunnelRecord | undefined> {
  const record = readTunnel(folder)
  if (
    record === undefined ||
    record.process?.revision !== record.revision ||
    isLater(writtenBy, record.writtenBy) ||
    !isAsRequested(record, options) ||
    !(await isUp(record))
  ) {
    return undefined
  }
  clearProblem(folder)
  return record
}

function isAsRequested(record: TunnelRecord, options: EnsureOptions): boolean {
  const { longestIdleMs = Number.POSITIVE_INFINITY } = options
  const idleTimeoutMs = options.idleTimeoutMs && Math.min(options.idleTimeoutMs, longestIdleMs)
  const requested = { ...options, idleTimeoutMs }
  return (
    record.idleTimeoutMs <= longestIdleMs &&
    (['address', 'port', 'idleTimeoutMs', 'host'] as const).every(
      (field) =>
        requested[field] === undefined ||
        stableJson(requested[field]) === stableJson(record[field]),
    )
  )
}

/** A value as JSON that does not depend on the order of its fields. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    isRecord(field)
      ? Object.fromEntries(Object.entries(field).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  )
}

async function choosePort(
  { reservedPorts = async () => new Set() }: TunnelContext,
  before: TunnelRecord | undefined,
  { address = before?.address ?? '127.0.0.1', port }: EnsureOptions,
): Promise<number> {
  if (port !== undefined) {
    await using probe = createServer()
    const hints = [{ purpose: 'to use a free port', localPort: false } as const]
    return await listen(probe, { address, port, hints })
  }
  if (before !== undefined && (await isFree(before.port, address))) {
    return before.port
  }
  const [chosen = 0] = await chooseLastingPorts(1, await reservedPorts())
  return chosen
}

async function launch(
  folder: TunnelFolder,
  { host, plane }: TunnelSettings,
  { program: [binary, ...args], table }: TunnelContext,
): Promise<ProcessRecord> {
  truncateLarge(folder.log)
  const command = {
    name: `the tunnel to "${plane.name}"`,
    binary,
    args: [...args, 'tunnel', folder.root],
    env: { ...host.environment },
    // The process must not keep a folder busy that the user may remove or unmount.
    workingFolder: '/',
    log: folder.log,
  }
  return launchProcess(command, table)
}

async function waitUntilServing(
  folder: TunnelFolder,
  launched: ProcessRecord,
  { signal, table }: { signal: AbortSignal; table: ProcessTable },
): Promise<void> {
  await waitFor(
    async () => {
      const record = readTunnel(folder)
      if (record?.process?.processId === launched.processId && (await isUp(record))) {
        return true
      }
      if (!isAlive(launched, table)) {
        throw new VplaneError('FAILED', `the tunnel ended at once: ${endOfLog(folder)}`, {
          hints: [`cat ${folder.log}`],
        })
      }
      return false
    },
    { what: 'the tunnel to listen', timeoutMs: START_MS, intervalMs: 5, signal },
  )
}

/** Limits the size of a log: nothing else trims it. */
function truncateLarge(log: string): void {
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) {
    truncateSync(log)
  }
}

function endOfLog({ log }: TunnelFolder): string {
  try {
    return readFileSync(log, 'utf8').trim().split('\n').slice(-LOG_LINES).join(' ')
  } catch {
    return 'it printed nothing'
  }
}
