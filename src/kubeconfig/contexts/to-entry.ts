import { type PlaneReference, referenceOf } from '../../control-plane/plane/plane.ts'
import type { ContextUser, NewContext } from '../../control-plane/use-cases/access/contexts.ts'
import { type ContextEntry, contextNameOf } from './context-entry.ts'

export interface EntryOptions {
  writtenBy: string
  /** The credential plugin for a plane; `server` is the address if the user gave one. */
  plugin: (
    plane: PlaneReference,
    options: { server?: string | undefined },
  ) => { command: string; args: readonly string[] }
}

/** The kubeconfig context for a plane. */
export function toEntry(
  { endpoint, plane, user }: NewContext,
  { plugin, writtenBy }: EntryOptions,
): ContextEntry {
  const { name, ...place } = referenceOf(plane)
  return {
    name: contextNameOf(plane),
    server: endpoint.server,
    certificateAuthorityData: endpoint.certificateAuthority,
    user: toUser(user, plane, plugin),
    origin: { writtenBy, plane: name, ...place },
  }
}

function toUser(
  user: ContextUser,
  plane: PlaneReference,
  plugin: EntryOptions['plugin'],
): ContextEntry['user'] {
  if (user.kind === 'plugin') {
    return { kind: 'exec', ...plugin(plane, { server: user.server }) }
  }
  return user.kind === 'token'
    ? user
    : { kind: 'embedded', certificate: user.access.certificate, key: user.access.key }
}
