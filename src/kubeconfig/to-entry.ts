import type { PlaneReference } from '../control-plane/plane.ts'
import type { NewContext } from '../control-plane/use-cases/contexts.ts'
import { type ContextEntry, contextNameOf, type ExecUser } from './context-entry.ts'

export interface EntryOptions {
  /** The version of this vplane. */
  writtenBy: string
  /** The credential plugin for a plane: the command and its arguments. */
  plugin: (plane: PlaneReference) => Pick<ExecUser, 'command' | 'args'>
}

/** The context for a plane, as it goes into a kubeconfig. */
export function toEntry(
  { endpoint, plane, user }: NewContext,
  { plugin, writtenBy }: EntryOptions,
): ContextEntry {
  const { driver, hostContext, name, namespace } = plane
  return {
    name: contextNameOf(name),
    server: endpoint.server,
    certificateAuthorityData: endpoint.certificateAuthority,
    user:
      user.kind === 'plugin'
        ? { kind: 'exec', provideClusterInfo: true, ...plugin(plane) }
        : { kind: 'embedded', certificate: user.access.certificate, key: user.access.key },
    origin: {
      writtenBy,
      plane: name,
      driver,
      ...(namespace !== undefined && { namespace }),
      ...(hostContext !== undefined && { hostContext }),
    },
  }
}
