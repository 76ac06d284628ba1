import { packageVersion } from '../../shared/package-root.ts'
import type { Paths } from '../../shared/paths.ts'
import { processTableOf } from '../../shared/processes/process-table-of.ts'
import type { Tunnels } from '../../tunnel/tunnels.ts'
import type { Ui } from '../../shared/ui.ts'
import type { HostAccess } from './host-source.ts'
import { launcherTarget } from '../launcher/launcher-target.ts'
import { tunnelsRoot } from './tunnels-root.ts'

export interface LazyTunnelsOptions {
  paths: Pick<Paths, 'data'>
  access: HostAccess
  /** Whether `access` comes from the record of a tunnel: then it is not news for tunnels. */
  isRecorded: boolean
  /** Ports that no tunnel is to get. */
  reservedPorts: () => Promise<ReadonlySet<number>>
  ui: Pick<Ui, 'warn'>
}

/** A tunnel allocates only short-lived buffers: a larger young generation is not faster, and takes twice the memory. */
const SMALL = '--max-semi-space-size=1'

/** Returns the tunnels on this machine; loads their code when a command needs it. */
export function lazyTunnels(options: LazyTunnelsOptions): Tunnels {
  let loading: Promise<Tunnels> | undefined
  const tunnels = () => (loading ??= loadTunnels(options))
  return {
    find: async (plane) => (await tunnels()).find(plane),
    ensure: async (plane, options) => (await tunnels()).ensure(plane, options),
    inProcess: async (...request) => (await tunnels()).inProcess(...request),
    stop: async (plane) => (await tunnels()).stop(plane),
    list: async () => (await tunnels()).list(),
    [Symbol.asyncDispose]: async () => {
      await (await loading)?.[Symbol.asyncDispose]()
    },
  }
}

async function loadTunnels(options: LazyTunnelsOptions): Promise<Tunnels> {
  const { access, isRecorded, paths, reservedPorts, ui } = options
  const [{ createTunnels }, { tunnelEnvironment }] = await Promise.all([
    import('../../tunnel/tunnels.ts'),
    import('../../tunnel/tunnel-environment.ts'),
  ])
  const { node, script } = launcherTarget()
  const host = { files: access.files, environment: tunnelEnvironment(access.environment) }
  const tunnels = createTunnels({
    root: tunnelsRoot(paths),
    table: processTableOf(process.platform),
    program: [node, SMALL, script],
    writtenBy: packageVersion(),
    host,
    reservedPorts,
    warn: (text) => ui.warn(text),
  })
  return {
    ...tunnels,
    ensure: (plane, wanted) =>
      tunnels.ensure(plane, { ...(isRecorded ? {} : { host }), ...wanted }),
  }
}
