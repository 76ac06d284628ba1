import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import type { ContextUser, NewContext } from '../../control-plane/use-cases/access/contexts.ts'
import { type ContextEntry, contextNameOf, type ExecUser } from './context-entry.ts'

export interface EntryOptions {
  /** The version of this vplane. */
  writtenBy: string
  /** The credential plugin for a plane: the command and its arguments; `server` when the user gave its address. */
  plugin: (
    plane: PlaneReference,
    options: { server?: string | undefined },
  ) => Pick<ExecUser, 'command' | 'args'>
}

/** The context for a plane, as it goes into a kubeconfig. */
export function toEntry(
  { endpoint, plane, user }: NewContext,
  { plugin, writtenBy }: EntryOptions,
): ContextEntry {
  const { driver, hostContext, name, namespace } = plane
  return {
    name: contextNameOf(plane),
    server: endpoint.server,
    certificateAuthorityData: endpoint.certificateAuthority,
    user: toUser(user, plane, plugin),
    origin: {
      writtenBy,
      plane: name,
      driver,
      ...(namespace !== undefined && { namespace }),
      ...(hostContext !== undefined && { hostContext }),
    },
  }
}

function toUser(
  user: ContextUser,
  plane: PlaneReference,
  plugin: EntryOptions['plugin'],
): ContextEntry['user'] {
  if (user.kind === 'plugin') {
    return { kind: 'exec', provideClusterInfo: true, ...plugin(plane, { server: user.server }) }
  }
  return user.kind === 'token'
    ? user
    : { kind: 'embedded', certificate: user.access.certificate, key: user.access.key }
}
