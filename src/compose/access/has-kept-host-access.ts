import { readdirSync } from 'node:fs'
import type { Paths } from '../../shared/paths.ts'
import { credentialsFolder } from './access-path.ts'

/** Whether this user has an access to a plane of this name in a host cluster, whichever. It costs one look. */
export function hasKeptHostAccess({ data }: Pick<Paths, 'data'>, name: string): boolean {
  try {
    return readdirSync(credentialsFolder(data)).some((file) =>
      file.startsWith(`kubernetes_${name}_`),
    )
  } catch {
    // Nobody has used one yet.
    return false
  }
}
