import type { Environment } from '../../shared/environment.ts'
import { tunnelEnvironment } from '../../tunnel/tunnel-environment.ts'

/** The time zone of the components that it starts, and what it needs to get binaries. */
const NAMES = ['TZ', 'VPLANE_MIRROR', 'VPLANE_OFFLINE']

/** The variables of a keeper that a command starts: those of backups, components and binaries. */
export function keeperEnvironment(environment: Environment): Record<string, string> {
  const own = NAMES.flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...tunnelEnvironment(environment), ...Object.fromEntries(own) }
}
