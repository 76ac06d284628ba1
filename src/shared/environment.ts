/** The environment variables of a process, by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The variables of this process. Everything else takes an `Environment` as a parameter. */
export function processEnvironment(): Environment {
  return process.env
}
