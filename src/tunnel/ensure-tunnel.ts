import { randomUUID } from 'node:crypto'
import { readFileSync, statSync, truncateSync } from 'node:fs'
import type { PlaneReference } from '../control-plane/plane/plane.ts'
import { VplaneError } from '../shared/errors.ts'
import { acquireFileLock } from '../shared/files/file-lock.ts'
import { makeFolder } from '../shared/files/make-folder.ts'
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
  /** What a tunnel's process is: it gets the word `tunnel` and its folder as well. */
  program: readonly [string, ...string[]]
  /** This vplane's version. */
  writtenBy: string
  /** How tunnels that nobody has connected to reach their host. */
  host: HostAccess
  /** Told why a tunnel inside of this process reaches nobody, when that does not pass by itself. @default nobody is */
  warn?: (text: string) => void
}

/** What is wanted of a tunnel; what is left out stays as it is. */
export interface EnsureOptions {
  signal: AbortSignal
  /** @default 127.0.0.1 */
  address?: string | undefined
  /** @default one that is free and stays so */
  port?: number | undefined
  /** @default 30 minutes */
  idleTimeoutMs?: number | undefined
  /** It ends after so long at the latest, in milliseconds, whatever else is said. @default there is no such time */
  longestIdleMs?: number | undefined
  /** How it is to reach its host from now on: said by whoever connects. */
  host?: HostAccess | undefined
}

const IDLE_TIMEOUT_MS = 30 * 60_000
const LOCK_MS = 30_000
const START_MS = 15_000
const LOG_LINES = 3
const LOG_BYTES = 256 * 1024

/**
 * The tunnel to a plane, up: it is started unless it runs as it is wanted, and in place of one that an older vplane
 * started. Its port stays the same as long as no other program takes it.
 *
 * @throws {VplaneError} `CONFLICT` when another program has the port that was asked for, `FAILED` when the tunnel does
 * not start, with its last words.
 */
export async function ensureTunnel(
  context: TunnelContext,
  plane: PlaneReference,
  options: EnsureOptions,
): Promise<TunnelRecord> {
  const folder = tunnelFolderOf(context.root, plane)
  const { signal } = options
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
  const settings = await writeSettings(folder, {
    ...wantedSettings({ context, before, options }),
    plane,
    port: await choosePort(before, options),
    revision: randomUUID(),
  })
  const launched = await launch(folder, settings, context)
  await untilServing(folder, launched, { ...context, signal })
  return readTunnel(folder) ?? settings
}

/** The tunnel when it is up and as it is wanted. Whoever asks has just reached the host, so its trouble is over. */
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
    !isAsWanted(record, options) ||
    !(await isUp(record))
  ) {
    return undefined
  }
  clearProblem(folder)
  return record
}

function isAsWanted(record: TunnelRecord, options: EnsureOptions): boolean {
  const { longestIdleMs = Number.POSITIVE_INFINITY } = options
  const idleTimeoutMs = options.idleTimeoutMs && Math.min(options.idleTimeoutMs, longestIdleMs)
  const wanted = { ...options, idleTimeoutMs }
  return (
    record.idleTimeoutMs <= longestIdleMs &&
    (['address', 'port', 'idleTimeoutMs', 'host'] as const).every(
      (field) => wanted[field] === undefined || textOf(wanted[field]) === textOf(record[field]),
    )
  )
}

/** The same for the same values, in whatever order they came. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    isRecord(field)
      ? Object.fromEntries(Object.entries(field).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  )
}

function wantedSettings({
  before,
  context,
  options,
}: {
  before: TunnelRecord | undefined
  context: TunnelContext
  options: EnsureOptions
}): Pick<TunnelSettings, 'address' | 'host' | 'idleTimeoutMs' | 'writtenBy'> {
  return {
    writtenBy: context.writtenBy,
    address: options.address ?? before?.address ?? '127.0.0.1',
    host: options.host ?? before?.host ?? context.host,
    idleTimeoutMs: Math.min(
      options.idleTimeoutMs ?? before?.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
      options.longestIdleMs ?? Number.POSITIVE_INFINITY,
    ),
  }
}

async function choosePort(
  before: TunnelRecord | undefined,
  { address = before?.address, port }: EnsureOptions,
): Promise<number> {
  const wanted = port ?? before?.port
  if (wanted !== undefined && (await isFree(wanted, address))) {
    return wanted
  }
  if (port !== undefined) {
    throw new VplaneError('CONFLICT', `another program listens on port ${port}`, {
      hints: [{ purpose: 'for a free one', localPort: false }],
    })
  }
  const [chosen = 0] = await chooseLastingPorts(1, new Set())
  return chosen
}

async function launch(
  folder: TunnelFolder,
  { host, plane }: TunnelSettings,
  { program: [binary, ...args], table }: TunnelContext,
): Promise<ProcessRecord> {
  trim(folder.log)
  return launchProcess(
    {
      name: `the tunnel to "${plane.name}"`,
      binary,
      args: [...args, 'tunnel', folder.root],
      env: { ...host.environment },
      // It outlives folders that people remove or unmount.
      workingFolder: '/',
      log: folder.log,
    },
    table,
  )
}

async function untilServing(
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
        throw new VplaneError('FAILED', `the tunnel ended at once: ${lastWords(folder)}`, {
          hints: [`cat ${folder.log}`],
        })
      }
      return false
    },
    { what: 'the tunnel to listen', timeoutMs: START_MS, intervalMs: 5, signal },
  )
}

/** Nobody but those who start a tunnel looks after its log. */
function trim(log: string): void {
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) {
    truncateSync(log)
  }
}

function lastWords({ log }: TunnelFolder): string {
  try {
    return readFileSync(log, 'utf8').trim().split('\n').slice(-LOG_LINES).join(' ')
  } catch {
    return 'it said nothing'
  }
}
