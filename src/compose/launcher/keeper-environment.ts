import { type Environment, pickVariables } from '../../shared/environment.ts'
import { tunnelEnvironment } from '../../tunnel/tunnel-environment.ts'

/** The time zone of the components that it starts, and what it needs to get binaries. */
const NAMES = ['TZ', 'VPLANE_MIRROR', 'VPLANE_OFFLINE']

/** The variables of a keeper that a command starts: those of backups, components and binaries. */
export function keeperEnvironment(environment: Environment): Record<string, string> {
  return { ...tunnelEnvironment(environment), ...pickVariables(environment, NAMES) }
}
