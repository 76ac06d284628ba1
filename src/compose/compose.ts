import { join } from 'node:path'
import type { Driver, Operation } from '../control-plane/driver.ts'
import { COMPONENT_NAMES, type DriverName, type PlaneReference } from '../control-plane/plane.ts'
import type { PlaneApi } from '../control-plane/plane-api.ts'
import type { PlaneSpec } from '../control-plane/spec.ts'
import type { Access, AccessDependencies } from '../control-plane/use-cases/access.ts'
import type { Contexts } from '../control-plane/use-cases/contexts.ts'
import type { KeptTunnels } from '../control-plane/use-cases/tunnels.ts'
import { LocalDriver } from '../drivers/local/local-driver.ts'
import { processTableOf } from '../shared/processes/process-table-of.ts'
import { PlaneStore } from '../drivers/local/store/plane-store.ts'
import { createKubeClient } from '../kube/client.ts'
import type { BinaryName } from '../drivers/local/binaries/binary.ts'
import { accessFiles } from '../kubeconfig/access-file.ts'
import { accessPathOf } from './access-path.ts'
import { launcherTarget } from './launcher-target.ts'
import { kubeconfigContexts } from '../kubeconfig/kubeconfig-contexts.ts'
import {
  refreshCredentialLauncher,
  writeCredentialLauncher,
} from '../kubeconfig/credential-launcher.ts'
import { type KubeconfigLocation, kubeconfigLocation } from '../kubeconfig/kubeconfig-location.ts'
import type { Environment } from '../shared/environment.ts'
import { packageVersion } from '../shared/package-root.ts'
import { type Paths, pathsOf } from '../shared/paths.ts'
import type { Ui } from '../shared/ui.ts'

export interface ComposeOptions {
  environment: Environment
  ui: Ui
  /** Where local planes lie. @default the XDG data folder of the user */
  root?: string
  /** @default the platform of this machine */
  platform?: NodeJS.Platform
  /** The driver that new planes get by default: with `kubernetes`, this machine's own cluster is a host too. */
  driver?: DriverName | undefined
  /** Context of the host cluster. @default the current one, or the one behind it when it is one of vplane */
  hostContext?: string | undefined
  /** Host namespace of new planes. @default that of the host context */
  hostNamespace?: string | undefined
}

/** Everything that use cases depend on, put together for this machine. */
export interface Composition extends AccessDependencies {
  drivers: readonly Driver[]
  contexts: Contexts
  /** The contexts in another kubeconfig than the user's. */
  contextsIn: (file: string) => Contexts
  /** Context of the host cluster; undefined when there is none. */
  hostContext: () => Promise<string | undefined>
  /** Host namespace of new planes. */
  hostNamespace: () => Promise<string>
  tunnels: KeptTunnels
  /** The variables that everything here goes by. */
  environment: Environment
  paths: Paths
  /** Settles when the launcher of the credential plugin starts this vplane, if there is a launcher. */
  refreshed: Promise<void>
  /** Path of the kubectl that belongs to a spec's version; it is got when it is not in the cache. */
  findKubectl: (spec: PlaneSpec, operation: Operation) => Promise<string>
}

/** Puts the adapters together: the one place that knows which implementation stands behind an interface. */
export function compose(options: ComposeOptions): Composition {
  const { environment, platform = process.platform, ui } = options
  const paths = pathsOf(environment)
  const root = options.root ?? paths.data
  const find = async <Name extends BinaryName>(
    names: readonly Name[],
    { binDir, signal, spec, ui }: Operation & { spec: PlaneSpec; binDir?: string | undefined },
  ) => {
    const { ensureBinaries } = await import('../drivers/local/binaries/ensure-binaries.ts')
    const { etcdVersion, version: kubernetesVersion } = spec
    return ensureBinaries(
      { kubernetesVersion, etcdVersion, names, ...(binDir === undefined ? {} : { binDir }) },
      { paths, environment, ui, signal },
    )
  }
  const drivers =
    platform === 'win32'
      ? []
      : [
          new LocalDriver({
            store: new PlaneStore(root),
            table: processTableOf(platform),
            environment,
            now: () => new Date(),
            findBinaries: ({ binDir, spec }, operation) =>
              find(COMPONENT_NAMES, { spec, binDir, ...operation }),
          }),
        ]
  const launcher = join(paths.data, 'bin', 'vplane-credential')
  const contextsAt = (location: KubeconfigLocation): Contexts => {
    const contexts = kubeconfigContexts({
      location,
      writtenBy: packageVersion(),
      plugin: (plane, { server }) => ({ command: launcher, args: credentialWords(plane, server) }),
    })
    return {
      ...contexts,
      add: async (context, signal) => {
        await writeCredentialLauncher(launcher, launcherTarget())
        return contexts.add(context, signal)
      },
    }
  }
  const contexts = contextsAt(kubeconfigLocation({ environment }))
  return {
    drivers,
    environment,
    paths,
    ui,
    accesses: accessFiles((plane) => accessPathOf(root, plane)),
    contexts,
    contextsIn: (file) => contextsAt(kubeconfigLocation({ environment, flag: file })),
    hostContext: () => contexts.hostContext(options.hostContext),
    hostNamespace: () => Promise.resolve(options.hostNamespace ?? 'default'),
    tunnels: { stop: () => Promise.resolve(false), list: () => Promise.resolve([]) },
    refreshed: refreshCredentialLauncher(launcher, launcherTarget()),
    findKubectl: async (spec, operation) =>
      (await find(['kubectl'], { spec, ...operation })).kubectl,
    openApi,
    now: () => new Date(),
  }
}

/** A client for the API that an access leads to. */
function openApi({ certificate, certificateAuthority, key, server }: Access): PlaneApi {
  return createKubeClient({ server, certificateAuthority, certificate, key })
}

/** The words after `credential` by which the plugin of a context knows its plane. */
function credentialWords(
  { driver, hostContext, name, namespace }: PlaneReference,
  server: string | undefined,
): string[] {
  const place = namespace === undefined ? [] : [namespace, hostContext ?? '']
  return [driver, name, ...place, ...(server === undefined ? [] : [`--server=${server}`])]
}
