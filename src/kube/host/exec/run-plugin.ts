import { spawn } from 'node:child_process'
import type { Environment } from '../../../shared/environment.ts'
import { hasErrorCode, messageOf } from '../../../shared/errors.ts'
import type { ExecPlugin } from './exec-plugin.ts'

const MAX_OUTPUT_BYTES = 1024 * 1024
/** So many lines of what it said last are worth repeating. */
const LAST_LINES = 3

export interface RunOptions {
  /** Value of `KUBERNETES_EXEC_INFO`. */
  info: string
  /** What every program here gets. */
  environment: Environment
  /** Lends it the terminal, to ask and to tell. */
  isInteractive: boolean
  /** How long it may take when nobody is asked, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}

/** A plugin that gave nothing; the message says why, after its name. */
export class PluginError extends Error {
  /** There is no such program. */
  readonly isMissing: boolean

  constructor(message: string, options: { isMissing?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'PluginError'
    this.isMissing = options.isMissing ?? false
  }
}

/**
 * Runs a credential plugin and returns what it prints. It gets no input, unless it may ask.
 *
 * @throws {PluginError} with the last lines of what it said when it fails. When the signal fires, its reason is thrown.
 */
export async function runPlugin(plugin: ExecPlugin, options: RunOptions): Promise<string> {
  const { environment, info, isInteractive, signal, timeoutMs } = options
  const deadline = isInteractive ? undefined : AbortSignal.timeout(timeoutMs)
  const child = spawn(plugin.command, plugin.args, {
    env: { ...environment, ...plugin.environment, KUBERNETES_EXEC_INFO: info },
    stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    signal: deadline === undefined ? signal : AbortSignal.any([signal, deadline]),
    windowsHide: true,
  })
  const output = new Collected()
  const complaints = new Collected()
  child.stdout?.on('data', (chunk: Buffer) => output.add(chunk))
  child.stderr?.on('data', (chunk: Buffer) => complaints.add(chunk))
  if (isInteractive) {
    child.stderr?.pipe(process.stderr, { end: false })
  }
  const ended = Promise.withResolvers<void>()
  child.on('error', ended.reject)
  child.on('close', (code, killedBy) => {
    if (code === 0) {
      ended.resolve()
    } else {
      const lines = complaints.lastLines()
      const how = code === null ? `was ended by ${killedBy}` : `failed with exit code ${code}`
      ended.reject(new PluginError(lines === undefined ? how : `failed: ${lines}`))
    }
  })
  try {
    await ended.promise
    return output.text()
  } catch (error) {
    // What it has started may hold its output open for longer than it lives.
    child.stdout?.destroy()
    child.stderr?.destroy()
    child.unref()
    signal.throwIfAborted()
    throw deadline?.aborted === true
      ? new PluginError(`did not answer within ${timeoutMs / 1000} s`)
      : toPluginError(error)
  }
}

function toPluginError(error: unknown): PluginError {
  if (error instanceof PluginError) {
    return error
  }
  return hasErrorCode(error, 'ENOENT')
    ? new PluginError('is not installed', { isMissing: true, cause: error })
    : new PluginError(`cannot be run: ${messageOf(error)}`, { cause: error })
}

/** What a stream has said, as far as anybody will read it. */
class Collected {
  readonly #chunks: Buffer[] = []
  #size = 0

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    while (this.#size > MAX_OUTPUT_BYTES) {
      this.#size -= this.#chunks.shift()?.length ?? this.#size
    }
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8')
  }

  /** Without colours and the like; undefined when there is nothing to read. */
  lastLines(): string | undefined {
    const lines = this.text()
      // oxlint-disable-next-line no-control-regex -- these are what is taken out
      .replaceAll(/\u001B\[[\d;?]*[A-Za-z]/g, '')
      .split(/[\r\n]+/)
      .map((line) => line.replaceAll(/\p{Cc}/gu, ' ').trim())
      .filter((line) => line !== '')
    return lines.length === 0 ? undefined : lines.slice(-LAST_LINES).join('; ').slice(-500)
  }
}
