import { vi } from 'vitest'
import type { Config } from '@oclif/core/config'
import { createConfig } from '../../src/cli/catalog/command-config.ts'

/** A command class, as the CLI starts it. */
interface Startable<Result> {
  id: string | undefined
  name: string
  start(argv: string[], config: Config): Promise<Result>
}

export interface CommandRun<Result> {
  stdout: string
  stderr: string
  /** What the command returned. */
  result: Result | undefined
  /** What it threw. */
  error: unknown
}

/** Runs a command class in this process and remembers what it wrote. One at a time: it takes the process's streams. */
export async function runCommandClass<Result>(
  command: Startable<Result>,
  argv: readonly string[],
): Promise<CommandRun<Result>> {
  // What the CLI gives it by its place: `config:set` for ConfigSet.
  command.id ??= command.name.replaceAll(/(?<=.)([A-Z])/g, ':$1').toLowerCase()
  const run: CommandRun<Result> = { stdout: '', stderr: '', result: undefined, error: undefined }
  const remember = (name: 'stdout' | 'stderr') =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      run[name] += String(chunk)
      return true
    })
  const spies = [remember('stdout'), remember('stderr')]
  try {
    run.result = await command.start([...argv], createConfig('vplane'))
  } catch (error) {
    run.error = error
  } finally {
    for (const spy of spies) {
      spy.mockRestore()
    }
  }
  return run
}
