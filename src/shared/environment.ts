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

/** The variables of this process. All other code receives an `Environment` as a parameter. */
export function processEnvironment(): Environment {
  return process.env
}
