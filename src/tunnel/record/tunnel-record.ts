import { rmSync } from 'node:fs'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import { VplaneError } from '../../shared/errors.ts'
import {
  type ProcessRecord,
  readProcessRecord,
} from '../../shared/processes/launch/process-record.ts'
import { refuseNewer } from '../../shared/stored-format.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import type { TunnelFolder } from './tunnel-folder.ts'
import { fieldAt, recordAt, textAt } from '../../shared/json-fields.ts'
import { readTextFile } from '../../shared/files/read-text-file.ts'

/** The format that this vplane writes; it reads every older format too. */
const FORMAT_VERSION = 1

/** How a tunnel reaches its host cluster, as recorded when a user connected. */
export interface HostAccess {
  /** Kubeconfigs, in kubectl's order. */
  files: readonly string[]
  /** The variables that logins and proxies depend on; it may contain secrets. */
  environment: Readonly<Record<string, string>>
}

/** The content of `tunnel.json`. */
export interface TunnelSettings {
  formatVersion: number
  writtenBy: string
  plane: PlaneReference
  address: string
  port: number
  host: HostAccess
  /** The tunnel ends after this time without a connection, in milliseconds. */
  idleTimeoutMs: number
  /** Changes with each change of the settings: a process that read another revision has to be replaced. */
  revision: string
}

/** A process that carries connections. */
export interface ServingProcess extends ProcessRecord {
  /** The revision of the settings that it uses. */
  revision: string
}

/** Why a tunnel cannot reach its plane until a user does something, such as log in. */
interface TunnelProblem {
  message: string
  hints: string[]
  at: Date
}

/** Everything that is recorded about a tunnel. */
export interface TunnelRecord extends TunnelSettings {
  /** The last process that listened; it may have ended. */
  process?: ServingProcess | undefined
  problem?: TunnelProblem | undefined
}

/**
 * Reads the record of a tunnel; undefined when it is missing or damaged, in which case a new port is chosen.
 *
 * @throws {VplaneError} `FAILED` when a newer vplane wrote it.
 */
export function readTunnel(folder: TunnelFolder): TunnelRecord | undefined {
  const settings = readSettings(folder)
  return settings && { ...settings, process: readServing(folder), problem: readProblem(folder) }
}

/** Undefined if missing or damaged. @throws {VplaneError} `FAILED` when a newer vplane wrote it. */
export function readSettings({ settings }: TunnelFolder): TunnelSettings | undefined {
  const value = readJson(settings)
  refuseNewer(value, { source: settings, formatVersion: FORMAT_VERSION })
  return isSettings(value) ? value : undefined
}

/** Writes the settings of a tunnel, readable by their owner alone. */
export async function writeSettings(
  folder: TunnelFolder,
  settings: Omit<TunnelSettings, 'formatVersion'>,
): Promise<TunnelSettings> {
  const stamped = { formatVersion: FORMAT_VERSION, ...settings }
  await writeFile(folder.settings, `${JSON.stringify(stamped, null, 2)}\n`)
  return stamped
}

/** The last process that listened; it may have ended. */
export function readServing({ serving }: TunnelFolder): ServingProcess | undefined {
  const record = readProcessRecord(serving)
  const revision = textAt(record, 'revision')
  return record === undefined || revision === undefined ? undefined : { ...record, revision }
}

/** Records why a tunnel cannot reach its plane. */
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

/** Removes the recorded problem. */
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
    // Incomplete: the next command writes it again.
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
