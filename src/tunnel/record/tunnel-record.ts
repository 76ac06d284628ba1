import { rmSync } from 'node:fs'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import { VplaneError } from '../../shared/errors.ts'
import type { ProcessRecord } from '../../shared/processes/launch/process-record.ts'
import { readProcessRecord } from '../../shared/processes/launch/process-record.ts'
import { refuseNewer } from '../../shared/stored-format.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import { type TunnelFolder } from './tunnel-folder.ts'
import { fieldAt, recordAt, textAt } from '../../shared/json-fields.ts'
import { readTextFile } from '../../shared/files/read-text-file.ts'

/** The format this vplane writes; readers take all older ones. */
const FORMAT_VERSION = 1

/** How a tunnel reaches its host cluster: as it was when somebody connected. */
export interface HostAccess {
  /** Kubeconfigs, in kubectl's order. */
  files: readonly string[]
  /** What logins and proxies go by; it may hold secrets. */
  environment: Readonly<Record<string, string>>
}

/** What `tunnel.json` holds. */
export interface TunnelSettings {
  formatVersion: number
  writtenBy: string
  plane: PlaneReference
  /** Where it listens. */
  address: string
  port: number
  host: HostAccess
  /** It ends when it has carried nothing for so long, in milliseconds. */
  idleTimeoutMs: number
  /** Differs whenever something else has changed: a process that read other settings is to be replaced. */
  revision: string
}

/** A process that carries connections. */
export interface ServingProcess extends ProcessRecord {
  /** That of the settings that it goes by. */
  revision: string
}

/** Why a tunnel cannot reach its plane, until somebody does something about it. */
export interface TunnelProblem {
  message: string
  hints: string[]
  at: Date
}

/** All that is written down about a tunnel. */
export interface TunnelRecord extends TunnelSettings {
  /** The process that listens, or did. */
  process?: ServingProcess
  problem?: TunnelProblem
}

/**
 * Reads what is written down about a tunnel; undefined when there is none, or it is damaged: a port is chosen anew then.
 *
 * @throws {VplaneError} `FAILED` when a newer vplane wrote it.
 */
export function readTunnel(folder: TunnelFolder): TunnelRecord | undefined {
  const settings = readSettings(folder)
  if (settings === undefined) {
    return undefined
  }
  const serving = readServing(folder)
  const problem = readProblem(folder)
  return {
    ...settings,
    ...(serving === undefined ? {} : { process: serving }),
    ...(problem === undefined ? {} : { problem }),
  }
}

/**
 * Reads what commands chose for a tunnel; undefined as with `readTunnel`.
 *
 * @throws {VplaneError} `FAILED` when a newer vplane wrote it.
 */
export function readSettings({ settings }: TunnelFolder): TunnelSettings | undefined {
  const value = readJson(settings)
  refuseNewer(value, { source: settings, formatVersion: FORMAT_VERSION })
  return isSettings(value) ? value : undefined
}

/** Writes what was chosen, for its owner alone. */
export async function writeSettings(
  folder: TunnelFolder,
  settings: Omit<TunnelSettings, 'formatVersion'>,
): Promise<TunnelSettings> {
  const stamped = { formatVersion: FORMAT_VERSION, ...settings }
  await writeFile(folder.settings, `${JSON.stringify(stamped, null, 2)}\n`)
  return stamped
}

/** The process that listens, or did. */
export function readServing({ serving }: TunnelFolder): ServingProcess | undefined {
  const record = readProcessRecord(serving)
  const revision = textAt(record, 'revision')
  return record === undefined || revision === undefined ? undefined : { ...record, revision }
}

/** Writes down what keeps a tunnel from its plane. */
export async function writeProblem(
  { problem }: TunnelFolder,
  error: VplaneError,
  at: Date,
): Promise<void> {
  const { message } = error
  const hints = error.hints.filter((hint) => typeof hint === 'string')
  const value = { formatVersion: FORMAT_VERSION, message, hints, at: at.toISOString() }
  await writeFile(problem, `${JSON.stringify(value)}\n`)
}

/** Forgets what kept it. */
export function clearProblem({ problem }: TunnelFolder): void {
  rmSync(problem, { force: true })
}

function readProblem({ problem }: TunnelFolder): TunnelProblem | undefined {
  const { at, hints, message } = recordAt(readJson(problem)) ?? {}
  return typeof message === 'string' && Array.isArray(hints)
    ? { message, hints: hints.map(String), at: new Date(String(at)) }
    : undefined
}

function readJson(path: string): unknown {
  const text = readTextFile(path)
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    // Cut off: it is made again.
    return undefined
  }
}

function isSettings(value: unknown): value is TunnelSettings {
  const { address, host, idleTimeoutMs, plane, port, revision, writtenBy } = recordAt(value) ?? {}
  const { environment, files } = recordAt(host) ?? {}
  return (
    [address, revision, writtenBy].every((field) => typeof field === 'string') &&
    typeof fieldAt(plane, 'name') === 'string' &&
    Number.isInteger(port) &&
    typeof idleTimeoutMs === 'number' &&
    Array.isArray(files) &&
    typeof environment === 'object'
  )
}
