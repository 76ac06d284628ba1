import { type Environment, processEnvironment } from './environment.ts'
import { messageOf } from './errors.ts'

interface PodContext {
  environment: Environment
  log: (line: string) => void
  signal: AbortSignal
}

/** Runs a program of vplane in its pod until it is stopped; logs a failure, which results in exit status 1. */
export async function runInPod(program: (context: PodContext) => Promise<void>): Promise<void> {
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
