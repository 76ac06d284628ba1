import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { isatty } from 'node:tty'
import { createTemporaryFolder } from '../../shared/files/create-temporary-folder.ts'
import type { Environment } from '../../shared/environment.ts'
import { hasErrorCode, reasonOf, VplaneError } from '../../shared/errors.ts'
import type { Interrupts } from './interrupts.ts'
import { commandNotFound } from './is-on-path.ts'

export interface RunOptions {
  command: readonly string[]
  kubeconfig: string
  environment: Environment
  /** Folder of a managed kubectl, found after everything else on PATH. */
  kubectlFolder?: string | undefined
  /** Is suspended while the command runs, which then handles the signals. */
  interrupts: Pick<Interrupts, 'signal' | 'standAside'>
}

const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

/**
 * Runs a command with its own kubeconfig, and this process's stdin, stdout, stderr and signals; returns its exit code,
 * or 128 + the number of the signal that ended it.
 *
 * @throws {VplaneError} `COMMAND_NOT_FOUND`, `COMMAND_NOT_EXECUTABLE`, `ABORTED` when a signal came before it started.
 */
export async function runWithKubeconfig(options: RunOptions): Promise<number> {
  const { command, environment, interrupts, kubeconfig, kubectlFolder } = options
  await using folder = await createTemporaryFolder()
  const path = join(folder.path, 'kubeconfig')
  await writeFile(path, kubeconfig, { mode: 0o600, flag: 'wx' })
  const searched = [environment['PATH'], kubectlFolder].filter((part) => (part ?? '') !== '')
  const env = { ...environment, KUBECONFIG: path, PATH: searched.join(delimiter) }
  return await execute(command, { env, interrupts })
}

async function execute(
  [file = '', ...args]: readonly string[],
  { env, interrupts }: Pick<RunOptions, 'interrupts'> & { env: Environment },
): Promise<number> {
  // From here to the end of the command nothing waits in between: a signal either ends this, or reaches the command.
  interrupts.signal.throwIfAborted()
  // Before it starts: it may run for a while until this process does again, and a SIGUSR1 would be taken by Node.js.
  let child: ChildProcess | undefined
  using _signals = passSignals((signal) => child?.kill(signal))
  using _aside = interrupts.standAside()
  const started = start(file, args, env)
  child = started
  return await new Promise((resolve, reject) => {
    started.once('error', (error) => reject(toCommandError(file, error)))
    started.once('exit', (code, signal) => {
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal])
    })
  })
}

/** Some failures to start are an event, others are thrown. */
function start(file: string, args: readonly string[], env: Environment): ChildProcess {
  if (file === '') {
    throw new VplaneError('COMMAND_NOT_FOUND', 'the command after -- is empty')
  }
  try {
    return spawn(file, args, { stdio: 'inherit', env })
  } catch (error) {
    throw toCommandError(file, error)
  }
}

/** Ctrl-C on a terminal reaches the command by itself; a SIGINT from elsewhere does not. */
function passSignals(send: (signal: NodeJS.Signals) => void): Disposable {
  // `process.stdin` would make the pipe that the command reads from non-blocking, under its hands.
  const isOnTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  const signals: NodeJS.Signals[] = isOnTerminal ? [...PASSED_ON] : ['SIGINT', ...PASSED_ON]
  const ignore = () => {}
  process.on('SIGINT', ignore)
  signals.forEach((signal) => process.on(signal, send))
  return {
    [Symbol.dispose]: () => {
      process.off('SIGINT', ignore)
      signals.forEach((signal) => process.off(signal, send))
    },
  }
}

function toCommandError(file: string, error: unknown): VplaneError {
  if (hasErrorCode(error, 'ENOENT')) {
    return commandNotFound(file, error)
  }
  return new VplaneError('COMMAND_NOT_EXECUTABLE', `cannot run "${file}": ${reasonOf(error)}`, {
    cause: error,
  })
}
