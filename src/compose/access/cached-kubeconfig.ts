import { renderKubeconfig } from '../../kubeconfig/contexts/render-kubeconfig.ts'
import { toEntry } from '../../kubeconfig/contexts/to-entry.ts'
import { packageVersion } from '../../shared/package-root.ts'
import type { Paths } from '../../shared/paths.ts'
import { cachedCredential } from './cached-credential.ts'

/**
 * A kubeconfig for a local plane with the access that is kept for it, when that can be used as it is. Otherwise
 * undefined, and the long way has to be gone. Like `cachedCredential`, this imports little.
 */
export async function cachedKubeconfig(
  paths: Pick<Paths, 'data'>,
  { name, now }: { name: string; now: Date },
): Promise<string | undefined> {
  const access = await cachedCredential(paths, { name, now, isHeld: true })
  if (access === undefined) {
    return undefined
  }
  const context = {
    plane: { name, driver: 'local' },
    endpoint: access,
    user: { kind: 'embedded', access },
  } as const
  const entry = toEntry(context, {
    writtenBy: packageVersion(),
    // An embedded credential asks no plugin.
    plugin: () => ({ command: '', args: [] }),
  })
  return renderKubeconfig(entry)
}
