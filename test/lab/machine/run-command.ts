import { execa } from 'execa'
import { VplaneError } from '../../../src/shared/errors.ts'

export interface CommandOptions {
  /** @default this process's own */
  cwd?: string
  /** @default this process's own */
  env?: Record<string, string | undefined>
  /** Text for its stdin. @default none */
  input?: string
  signal?: AbortSignal
}

/**
 * Runs a command of the machine and returns what it printed.
 *
 * @throws {VplaneError} `FAILED` with what it said on stderr, `ABORTED` when the signal fires.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env, input, signal }: CommandOptions = {},
): Promise<string> {
  const result = await execa(command, args, {
    reject: false,
    extendEnv: false,
    env: { ...(env ?? process.env) },
    maxBuffer: 64 * 1024 * 1024,
    ...(cwd === undefined ? {} : { cwd }),
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  })
  if (result.isCanceled) {
    throw new VplaneError('ABORTED', `interrupted while running ${command}`, { cause: result })
  }
  if (result.failed) {
    const said = result.stderr || result.stdout || result.shortMessage || 'it said nothing'
    throw new VplaneError('FAILED', `${command} ${args.join(' ')} failed: ${said}`, {
      cause: result,
    })
  }
  return result.stdout
}
