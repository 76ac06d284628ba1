import { join } from 'node:path'
import type { Paths } from '../../shared/paths.ts'

/** Returns the folder of all tunnels of a user. */
export function tunnelsRoot({ data }: Pick<Paths, 'data'>): string {
  return join(data, 'tunnels')
}
