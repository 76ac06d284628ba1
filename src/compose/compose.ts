import { join } from 'node:path'
import type { Driver } from '../control-plane/driver/driver.ts'
import type { Operation } from '../control-plane/driver/operation.ts'
import type { Operators } from '../control-plane/declared/operators.ts'
import { type Plane, servingOf } from '../control-plane/plane/plane.ts'
import type { DriverName } from '../control-plane/spec/driver-name.ts'
import type { Snapshots } from '../control-plane/driver/snapshot.ts'
import type { PlaneSpec } from '../control-plane/spec/spec.ts'
import type { AccessDependencies } from '../control-plane/use-cases/access/access.ts'
import type { Contexts } from '../control-plane/use-cases/access/contexts.ts'
import type { BackgroundTunnels } from '../control-plane/use-cases/access/tunnels.ts'
import type { BinaryName } from '../drivers/local/binaries/cache/binary.ts'
import { isExecutable } from '../drivers/local/binaries/cache/is-executable.ts'
import { ownStoreOf } from '../control-plane/store/store.ts'
import type { ManagedBinaries } from '../drivers/local/binaries/manage-binaries.ts'
import type { BinariesContext, BinariesRequest } from '../drivers/local/binaries/ensure-binaries.ts'
import type { KeptOpen } from '../drivers/local/components/kept-open.ts'
import { LocalDriver } from '../drivers/local/local-driver.ts'
import { takenPorts } from '../drivers/local/store/choose-ports.ts'
import { PlaneStore } from '../drivers/local/store/plane-store.ts'
import type { RenderedPlane, RenderOptions } from '../drivers/kubernetes/lifecycle/render-plane.ts'
import { openApi } from './host/open-api.ts'
import { accessFiles } from '../kubeconfig/plugin/access-file.ts'
import { refreshCredentialLauncher } from '../kubeconfig/plugin/credential-launcher.ts'
import { kubeconfigLocation } from '../kubeconfig/file/kubeconfig-location.ts'
import type { Environment } from '../shared/environment.ts'
import { omitUndefined } from '../shared/omit-undefined.ts'
import { type Paths, pathsOf } from '../shared/paths.ts'
import { canSharePorts } from '../shared/network/ports.ts'
import { processTableOf } from '../shared/processes/process-table-of.ts'
import type { Ui } from '../shared/ui.ts'
import { accessPathOf } from './access/access-path.ts'
import { credentialLauncher, launchedContexts } from './launcher/launched-contexts.ts'
import { type HostAccess, type HostSource, hostSource } from './host/host-source.ts'
import { isKeeping } from './launcher/keeper-place.ts'
import type { KeeperService } from './launcher/keeper-service.ts'
import { lazyTunnels } from './host/lazy-tunnels.ts'
import { driverOf, type OtherHost, otherHosts } from './host/other-hosts.ts'

export type { ReleaseSupply } from '../drivers/local/binaries/examine-release.ts'
export type { PulledBinary } from '../drivers/local/binaries/manage-binaries.ts'

export interface ComposeOptions {
  environment: Environment
  /** Reads the variables, with the user's settings, when a binary is missing. @default `environment` */
  readEnvironment?: () => Promise<Environment>
  ui: Ui
  /** Folder of local planes. @default the XDG data folder of the user */
  root?: string
  /** @default the platform of this machine */
  platform?: NodeJS.Platform
  /** Whether programs can share ports. @default what the platform can */
  sharesPorts?: boolean
  /** The default driver of new planes; with `kubernetes`, vplane searches the host cluster in any case. */
  driver?: DriverName | undefined
  /** Context of the host cluster. @default the current one, or the host context of its plane when vplane wrote it */
  hostContext?: string | undefined
  /** Host namespace of new planes. @default that of the host context */
  hostNamespace?: string | undefined
  /** How to reach the host, as an earlier process recorded it. @default by this process's kubeconfig */
  hostAccess?: HostAccess | undefined
  /** Whether a login to the host may prompt on the terminal. @default false */
  isInteractive?: boolean
  /** What this process, the keeper of local planes, keeps of them. @default it is another process */
  kept?: KeptOpen
}

/** What use cases depend on, for this machine. Disposing it closes connections. */
export interface Composition extends AccessDependencies, AsyncDisposable {
  drivers: readonly Driver[]
  contexts: Contexts
  contextsIn: (file: string) => Contexts
  hostContext: HostSource['context']
  hostNamespace: HostSource['namespace']
  otherHost: (context: string) => OtherHost
  tunnels: BackgroundTunnels
  /** The ports that local planes keep, running or not. */
  reservedPorts: () => Promise<ReadonlySet<number>>
  /** Loads the code for snapshots when a command needs it. */
  openSnapshots: () => Promise<Snapshots>
  openBinaries: () => Promise<ManagedBinaries>
  /** The service that runs the keeper of local planes. */
  openKeeperService: () => Promise<KeeperService>
  /** The operators of the host cluster. @throws {VplaneError} `USAGE` without a host cluster. */
  openOperators: () => Promise<Operators>
  renderPlane: (options: RenderOptions) => Promise<RenderedPlane>
  environment: Environment
  paths: Paths
  /** Settles when the launcher of the credential plugin, if it exists, starts this vplane. */
  refreshed: Promise<void>
  /** Returns the path of a plane's kubectl, which is downloaded if `binDir` has none. */
  findKubectl: (plane: Pick<Plane, 'spec' | 'binDir'>, operation: Operation) => Promise<string>
}

/** Connects use cases to the implementations of their interfaces: no other place knows these. */
export function compose(options: ComposeOptions): Composition {
  const { environment, platform = process.platform, readEnvironment, ui } = options
  const paths = pathsOf(environment)
  const root = options.root ?? paths.data
  const now = () => new Date()
  const location = kubeconfigLocation({ environment })
  const launcher = credentialLauncher(paths, environment)
  const contexts = launchedContexts(location, launcher)
  const access = options.hostAccess ?? { files: location.files, environment }
  const { hostNamespace: namespace, isInteractive = false } = options
  const hosts = { ...access, contexts, namespace, isInteractive }
  const source = hostSource({ ...hosts, context: options.hostContext })
  const stores = {
    store: new PlaneStore(root),
    ...(root === paths.data ? {} : { others: new PlaneStore(paths.data) }),
  }
  // What cannot be read is not known: the chosen port is free in any case.
  const reservedPorts = () => takenPorts(stores).catch(() => new Set<number>())
  const isRecorded = options.hostAccess !== undefined
  const tunnels = lazyTunnels({ access, paths, isRecorded, reservedPorts, ui })
  const hasHost = async () => options.driver === 'kubernetes' || (await source.isKnown())
  const hosted = driverOf(source, { tunnels, now }, hasHost)
  const others = otherHosts({ ...hosts, tunnels, now })
  const find = findBinaries({ environment, readEnvironment, paths })
  const local = platform === 'win32' ? undefined : localDriver()
  let keeper: Promise<void> | undefined
  return {
    drivers: local === undefined ? [hosted] : [local, hosted],
    environment,
    paths,
    ui,
    accesses: accessFiles((plane) => accessPathOf(root, plane)),
    contexts,
    contextsIn: (file) =>
      launchedContexts(kubeconfigLocation({ environment, flag: file }), launcher),
    hostContext: source.context,
    hostNamespace: source.namespace,
    otherHost: (context) => others.of(context),
    tunnels,
    reservedPorts,
    openSnapshots: async () => {
      const { createSnapshots } = await import('./snapshots.ts')
      return createSnapshots({ data: root, environment, warn: (text) => ui.warn(text) })
    },
    openKeeperService: async () => {
      const { keeperService } = await import('./launcher/keeper-service.ts')
      return keeperService({ environment, paths, ensureKeeper })
    },
    openOperators: async () => {
      const { hostOperators } = await import('./host/host-operators.ts')
      return hostOperators((await source.open()).api)
    },
    openBinaries: async () => {
      const { managedBinaries } = await import('../drivers/local/binaries/manage-binaries.ts')
      return managedBinaries({ paths, environment, readEnvironment, ui, driver: local })
    },
    renderPlane: async (rendering) => {
      const { renderPlane } = await import('../drivers/kubernetes/lifecycle/render-plane.ts')
      const host = async () => ((await source.isKnown()) ? source.open() : undefined)
      return renderPlane({ host, now, ui }, rendering)
    },
    refreshed: refreshCredentialLauncher(launcher.path, launcher.target),
    findKubectl: (plane, operation) => findTool('kubectl', plane, operation),
    openApi,
    now,
    [Symbol.asyncDispose]: async () => {
      await tunnels[Symbol.asyncDispose]()
      await source[Symbol.asyncDispose]()
      await others[Symbol.asyncDispose]()
    },
  }

  /** A `binDir` may lack tools that the plane does not run. */
  async function findTool(
    name: 'etcd' | 'etcdutl' | 'kubectl',
    { binDir, spec }: Pick<Plane, 'spec' | 'binDir'>,
    operation: Operation,
  ): Promise<string> {
    const own = binDir === undefined ? undefined : join(binDir, name)
    return own !== undefined && isExecutable(own)
      ? own
      : (await find([name], { spec, ...operation }))[name]
  }

  function ensureKeeper(): Promise<void> {
    keeper ??= startMissingKeeper().finally(() => {
      keeper = undefined
    })
    return keeper
  }

  async function startMissingKeeper(): Promise<void> {
    if (!(await isKeeping(root))) {
      const { startKeeper } = await import('./start-keeper.ts')
      await startKeeper({ root, environment, table: processTableOf(platform) })
    }
  }

  function localDriver(): Driver {
    return new LocalDriver({
      ...stores,
      table: processTableOf(platform),
      environment,
      sharesPorts: options.sharesPorts ?? canSharePorts(platform),
      now,
      findBinaries: ({ binDir, isLasting = false, isNew = false, spec }, operation) => {
        const also = isLasting && ownStoreOf(spec) === 'etcd' ? (['etcdutl'] as const) : []
        const names = servingOf(spec)
        return find(names, { spec, binDir, also, canChooseFolder: isNew, ...operation })
      },
      findEtcd: (wanted, operation) => findTool('etcd', wanted, operation),
      findEtcdutl: (wanted, operation) => findTool('etcdutl', wanted, operation),
      ...(options.kept === undefined ? { ensureKeeper } : { kept: options.kept }),
    })
  }
}

interface WantedOf extends Pick<BinariesRequest<BinaryName>, 'also' | 'canChooseFolder'> {
  spec: PlaneSpec
  binDir?: string | undefined
}

function findBinaries(machine: Pick<BinariesContext, 'environment' | 'paths' | 'readEnvironment'>) {
  return async <Name extends BinaryName>(
    names: readonly Name[],
    { also = [], binDir, canChooseFolder = false, signal, spec, ui }: Operation & WantedOf,
  ) => {
    const { ensureBinaries } = await import('../drivers/local/binaries/ensure-binaries.ts')
    const { etcdVersion, kineVersion, version: kubernetesVersion } = spec
    const wanted = { names, also, canChooseFolder, ...omitUndefined({ binDir, kineVersion }) }
    return ensureBinaries({ kubernetesVersion, etcdVersion, ...wanted }, { ...machine, ui, signal })
  }
}
