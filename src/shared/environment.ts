import { resolve } from 'node:path'

/** The environment variables of a process, by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A required variable. @throws {Error} when it is missing or empty. */
export function neededVariable(environment: Environment, name: string): string {
  const text = environment[name]
  if (text === undefined || text === '') {
    throw new Error(`${name} is not set`)
  }
  return text
}

/** Those of some variables that are set. */
export function pickVariables(
  environment: Environment,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/**
 * The variables of this process. All other code receives an `Environment` as a parameter. A relative `VPLANE_HOME` is
 * absolute in it, because processes in the background, which get it as well, have another working directory.
 */
export function processEnvironment(): Environment {
  const home = process.env['VPLANE_HOME']
  return home ? { ...process.env, VPLANE_HOME: resolve(home) } : process.env
}
