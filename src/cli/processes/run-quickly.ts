import type { Environment } from '../../shared/environment.ts'
import { VplaneError } from '../../shared/errors.ts'
import type { Interrupts } from './interrupts.ts'
import { runWithKubeconfig } from './run-with-kubeconfig.ts'

export interface QuickRun {
  command: readonly string[]
  kubeconfig: string
  environment: Environment
  interrupts: Interrupts
}

/**
 * Runs a command with a kubeconfig of its own, before the framework is loaded.
 *
 * @returns the exit code; undefined when the command was not started: the framework says why.
 */
export async function runQuickly(options: QuickRun): Promise<number | undefined> {
  const { interrupts } = options
  let isStarted = false
  const standAside = () => {
    isStarted = true
    return interrupts.standAside()
  }
  try {
    const { signal } = interrupts
    return await runWithKubeconfig({ ...options, interrupts: { signal, standAside } })
  } catch (error) {
    // A VplaneError says that there is no such command: the framework says so in its own words.
    if (isStarted && !(error instanceof VplaneError)) {
      throw error
    }
    return interrupts.exitCode
  }
}
