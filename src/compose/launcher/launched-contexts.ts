import { join } from 'node:path'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import type { Contexts } from '../../control-plane/use-cases/access/contexts.ts'
import {
  type Launched,
  writeCredentialLauncher,
} from '../../kubeconfig/plugin/credential-launcher.ts'
import { kubeconfigContexts } from '../../kubeconfig/kubeconfig-contexts.ts'
import type { KubeconfigLocation } from '../../kubeconfig/file/kubeconfig-location.ts'
import type { Environment } from '../../shared/environment.ts'
import { packageVersion } from '../../shared/package-root.ts'
import { folderVariables, type Paths } from '../../shared/paths.ts'
import { launcherTarget } from './launcher-target.ts'

/** The credential plugin that contexts name. */
export interface CredentialLauncher {
  path: string
  target: Launched
}

/** Returns the credential plugin of the planes in these folders, which starts this vplane. */
export function credentialLauncher(paths: Paths, environment: Environment): CredentialLauncher {
  const target = { ...launcherTarget(), folders: folderVariables(environment, paths) }
  return { path: join(paths.data, 'bin', 'vplane-credential'), target }
}

/** The contexts of a kubeconfig; adding one also writes the credential plugin. */
export function launchedContexts(
  location: KubeconfigLocation,
  { path, target }: CredentialLauncher,
): Contexts {
  const contexts = kubeconfigContexts({
    location,
    writtenBy: packageVersion(),
    plugin: (plane, { server }) => ({ command: path, args: credentialWords(plane, server) }),
  })
  const writePlugin = () => writeCredentialLauncher(path, target)
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
