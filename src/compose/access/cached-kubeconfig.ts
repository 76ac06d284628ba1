import { renderKubeconfig } from '../../kubeconfig/contexts/entry-items.ts'
import { toEntry } from '../../kubeconfig/contexts/to-entry.ts'
import { packageVersion } from '../../shared/package-root.ts'
import type { Paths } from '../../shared/paths.ts'
import { cachedCredential } from './cached-credential.ts'

/** A kubeconfig with the access that `cachedCredential` returns; like that, it imports little. */
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
    // An embedded credential needs no plugin.
    plugin: () => ({ command: '', args: [] }),
  })
  return renderKubeconfig(entry)
}
