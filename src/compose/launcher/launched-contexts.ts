import { join } from 'node:path'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import type { Contexts } from '../../control-plane/use-cases/access/contexts.ts'
import { writeCredentialLauncher } from '../../kubeconfig/plugin/credential-launcher.ts'
import { kubeconfigContexts } from '../../kubeconfig/kubeconfig-contexts.ts'
import type { KubeconfigLocation } from '../../kubeconfig/file/kubeconfig-location.ts'
import { packageVersion } from '../../shared/package-root.ts'
import type { Paths } from '../../shared/paths.ts'
import { launcherTarget } from './launcher-target.ts'

/** Returns the path of the credential plugin that contexts name. */
export function credentialLauncher({ data }: Pick<Paths, 'data'>): string {
  return join(data, 'bin', 'vplane-credential')
}

/** The contexts of a kubeconfig; adding one also writes the credential plugin. */
export function launchedContexts(location: KubeconfigLocation, launcher: string): Contexts {
  const contexts = kubeconfigContexts({
    location,
    writtenBy: packageVersion(),
    plugin: (plane, { server }) => ({ command: launcher, args: credentialWords(plane, server) }),
  })
  const writePlugin = () => writeCredentialLauncher(launcher, launcherTarget())
  return {
    ...contexts,
    writePlugin,
    add: async (context, signal) => {
      await writePlugin()
      return contexts.add(context, signal)
    },
  }
}

/** The arguments after `credential` by which the plugin of a context knows its plane. */
export function credentialWords(
  { driver, hostContext, name, namespace }: PlaneReference,
  server: string | undefined,
): string[] {
  const place = namespace === undefined ? [] : [namespace, hostContext ?? '']
  return [driver, name, ...place, ...(server === undefined ? [] : [`--server=${server}`])]
}
