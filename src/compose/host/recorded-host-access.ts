import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import type { Environment } from '../../shared/environment.ts'
import type { Paths } from '../../shared/paths.ts'
import { tunnelFolderOf } from '../../tunnel/record/tunnel-folder.ts'
import { readTunnel } from '../../tunnel/record/tunnel-record.ts'
import type { HostAccess } from './host-source.ts'
import { tunnelsRoot } from './tunnels-root.ts'

/** How the host was reached at the last connect to a plane; undefined without a tunnel's record. */
export function recordedHostAccess(
  paths: Pick<Paths, 'data'>,
  { environment, plane }: { plane: PlaneReference; environment: Environment },
): HostAccess | undefined {
  const record = readTunnel(tunnelFolderOf(tunnelsRoot(paths), plane))
  return (
    record && {
      files: record.host.files,
      environment: { ...environment, ...record.host.environment },
    }
  )
}
