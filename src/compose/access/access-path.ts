import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { planeFolder } from '../../drivers/local/store/plane-folder.ts'
import type { AccessPlane } from '../../kubeconfig/plugin/access-file.ts'
import { shortFileName } from '../../shared/files/short-file-name.ts'
import type { Paths } from '../../shared/paths.ts'

/** Where an access is stored; for a local plane in its folder, so that both are deleted together. */
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

/** Whether an access to a plane of this name in any host cluster is stored; it reads one folder. */
export function hasCachedHostAccess({ data }: Pick<Paths, 'data'>, name: string): boolean {
  try {
    return readdirSync(credentialsFolder(data)).some((file) =>
      file.startsWith(`kubernetes_${name}_`),
    )
  } catch {
    // The folder does not exist before the first use.
    return false
  }
}

function credentialsFolder(root: string): string {
  return join(root, 'credentials')
}
