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
  /** How this process reaches the host. */
  access: HostAccess
  /** Whether that came from the record of a tunnel: then there is nothing new in it for tunnels to go by. */
  isRecorded: boolean
  ui: Pick<Ui, 'warn'>
}

/** What passes through is soon forgotten: room for more of it makes no tunnel faster, and takes twice the memory. */
const SMALL = '--max-semi-space-size=1'

/** The tunnels of this machine; what they are made of is loaded when the first one is asked for. */
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

async function loadTunnels({
  access,
  isRecorded,
  paths,
  ui,
}: LazyTunnelsOptions): Promise<Tunnels> {
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
    warn: (text) => ui.warn(text),
  })
  return {
    ...tunnels,
    ensure: (plane, options) =>
      tunnels.ensure(plane, { ...(isRecorded ? {} : { host }), ...options }),
  }
}
