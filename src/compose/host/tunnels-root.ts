import { join } from 'node:path'
import type { Paths } from '../../shared/paths.ts'

export function tunnelsRoot({ data }: Pick<Paths, 'data'>): string {
  return join(data, 'tunnels')
}
