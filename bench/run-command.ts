import { spawn } from 'node:child_process'

export interface CommandRun {
  /** From before the process is started until it has ended. */
  ms: number
  stdout: string
  stderr: string
}

export interface CommandOptions {
  environment: Record<string, string>
  folder: string
  signal: AbortSignal
}

/**
 * Runs a command and says how long it took.
 *
 * @throws {Error} with what it said when it fails.
 */
export async function runCommand(
  [file = '', ...args]: readonly string[],
  { environment, folder, signal }: CommandOptions,
): Promise<CommandRun> {
  signal.throwIfAborted()
  const startedAt = performance.now()
  const child = spawn(file, args, {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const status = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, name) => resolve(code ?? `ended by ${name}`))
  })
  const ms = performance.now() - startedAt
  if (status !== 0) {
    throw new Error(`${[file, ...args].join(' ')}: ${status}\n${output.stderr}`)
  }
  return { ms, ...output }
}
