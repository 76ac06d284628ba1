import { spawn } from 'node:child_process'
import type { Environment } from '../../../shared/environment.ts'
import { hasErrorCode, messageOf } from '../../../shared/errors.ts'
import type { ExecPlugin } from './exec-plugin.ts'

const MAX_OUTPUT_BYTES = 1024 * 1024
/** An error repeats so many of the last lines of output. */
const LAST_LINES = 3

export interface RunOptions {
  /** Value of `KUBERNETES_EXEC_INFO`. */
  info: string
  environment: Environment
  /** Whether the plugin may ask the user on the terminal. */
  isInteractive: boolean
  /** Time limit of a plugin that is not interactive, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}

/** A plugin gave no credential; the message is read after the plugin's name. */
export class PluginError extends Error {
  /** The program does not exist. */
  readonly isMissing: boolean

  constructor(message: string, options: { isMissing?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'PluginError'
    this.isMissing = options.isMissing ?? false
  }
}

/**
 * Runs a credential plugin and returns its output. Only an interactive plugin receives input.
 *
 * @throws {PluginError} with the last lines of its output when it fails; the reason of the signal when that fires.
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
  const errors = new Collected()
  child.stdout?.on('data', (chunk: Buffer) => output.add(chunk))
  child.stderr?.on('data', (chunk: Buffer) => errors.add(chunk))
  if (isInteractive) {
    child.stderr?.pipe(process.stderr, { end: false })
  }
  const ended = Promise.withResolvers<void>()
  child.on('error', ended.reject)
  child.on('close', (code, killedBy) => {
    if (code === 0) {
      ended.resolve()
    } else {
      const lines = errors.lastLines()
      const reason = code === null ? `was killed by ${killedBy}` : `failed with exit code ${code}`
      ended.reject(new PluginError(lines === undefined ? reason : `failed: ${lines}`))
    }
  })
  try {
    await ended.promise
    return output.text()
  } catch (error) {
    // Its own child processes may keep its output open after it has ended.
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

/** The end of a stream's output. */
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

  /** The last lines without control characters; undefined when there are none. */
  lastLines(): string | undefined {
    const lines = this.text()
      // oxlint-disable-next-line no-control-regex -- it removes control characters
      .replaceAll(/\u001B\[[\d;?]*[A-Za-z]/g, '')
      .split(/[\r\n]+/)
      .map((line) => line.replaceAll(/\p{Cc}/gu, ' ').trim())
      .filter((line) => line !== '')
    return lines.length === 0 ? undefined : lines.slice(-LAST_LINES).join('; ').slice(-500)
  }
}
