import { join } from 'node:path'
import { planeFolder } from '../../drivers/local/store/plane-folder.ts'
import type { AccessPlane } from '../../kubeconfig/plugin/access-file.ts'
import { shortFileName } from '../../shared/files/short-file-name.ts'

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

/** Where accesses to planes in host clusters are kept. */
export function credentialsFolder(root: string): string {
  return join(root, 'credentials')
}
