import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { planeFolder } from '../../drivers/local/store/plane-folder.ts'
import type { AccessPlane } from '../../kubeconfig/plugin/access-file.ts'
import { shortFileName } from '../../shared/files/short-file-name.ts'
import type { Paths } from '../../shared/paths.ts'

/**
 * Where the access to a plane is kept. That of a local plane lies in the plane's folder, so that the key of an
 * administrator is gone with the plane, however the plane goes.
 */
export function accessPathOf(
  root: string,
  { driver, hostContext, name, namespace }: AccessPlane,
): string {
  if (driver === 'local') {
    return planeFolder(join(root, 'planes', name)).access
  }
  const parts = [driver, name, namespace, hostContext].filter((part) => part !== undefined)
  return join(credentialsFolder(root), `${shortFileName(parts)}.json`)
}

/** Whether this user has an access to a plane of this name in a host cluster, whichever. It costs one look. */
export function hasCachedHostAccess({ data }: Pick<Paths, 'data'>, name: string): boolean {
  try {
    return readdirSync(credentialsFolder(data)).some((file) =>
      file.startsWith(`kubernetes_${name}_`),
    )
  } catch {
    // Nobody has used one yet.
    return false
  }
}

/** Where accesses to planes in host clusters are kept. */
function credentialsFolder(root: string): string {
  return join(root, 'credentials')
}
