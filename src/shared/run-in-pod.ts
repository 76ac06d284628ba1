import { type Environment, processEnvironment } from './environment.ts'
import { messageOf } from './errors.ts'

export interface PodSurroundings {
  environment: Environment
  /** One line for the log. */
  log: (line: string) => void
  /** Fires when the pod is told to stop. */
  signal: AbortSignal
}

/** Runs a program of ours in its pod until it is told to stop; a failure is its last line, and exit status 1. */
export async function runInPod(
  program: (surroundings: PodSurroundings) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => stop.abort(new Error(`stopped by ${name}`)))
  }
  const log = (line: string) => process.stdout.write(`${new Date().toISOString()} ${line}\n`)
  try {
    await program({ environment: processEnvironment(), log, signal: stop.signal })
  } catch (error) {
    if (!stop.signal.aborted) {
      log(`error: ${messageOf(error)}`)
      process.exitCode = 1
    }
  }
}
