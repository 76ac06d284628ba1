import { EXTENSION_FORMAT, type ContextEntry } from './context-entry.ts'
import { type ContextExtension, MARK, toExtensions } from './extension-value.ts'
import type { ListKey } from '../text/top-level.ts'
import type { Undo } from '../text/undo.ts'
import type { Value } from '../text/yaml-text.ts'

const INSTALL_HINT =
  'vplane wrote this context and is not installed any more: npm install --global vplane'

/** What was there before a context, for its record. */
export interface Before {
  previousContext?: string | undefined
  undo: Undo
  /** The default namespace that a user gave the context. */
  defaultNamespace?: string | undefined
}

/** The entries of a context, its cluster and its user, as they are written. */
export function toItems(entry: ContextEntry, before: Before): Record<ListKey, Value> {
  const { name } = entry
  return {
    clusters: toClusterItem(entry),
    contexts: {
      name,
      context: {
        cluster: name,
        user: name,
        namespace: before.defaultNamespace,
        extensions: toExtensions(toExtension(entry, before)),
      },
    },
    users: { name, user: { ...toUser(entry.user), extensions: MARK } },
  }
}

/** The entry of a context's cluster, as it is written. */
export function toClusterItem({
  certificateAuthorityData,
  name,
  server,
}: Pick<ContextEntry, 'name' | 'server' | 'certificateAuthorityData'>): Value {
  return {
    name,
    cluster: {
      server,
      'certificate-authority-data': toBase64(certificateAuthorityData),
      extensions: MARK,
    },
  }
}

function toExtension({ origin }: ContextEntry, before: Before): ContextExtension {
  const { driver, hostContext, namespace, plane, writtenBy } = origin
  return {
    formatVersion: EXTENSION_FORMAT,
    writtenBy,
    plane,
    driver,
    ...(namespace !== undefined && { namespace }),
    ...(hostContext !== undefined && { hostContext }),
    ...(before.previousContext !== undefined && { previousContext: before.previousContext }),
    undo: before.undo,
  }
}

function toUser(user: ContextEntry['user']): Record<string, Value> {
  if (user.kind === 'embedded') {
    return {
      'client-certificate-data': toBase64(user.certificate),
      'client-key-data': toBase64(user.key),
    }
  }
  if (user.kind === 'token') {
    return { token: user.token }
  }
  return {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: user.command,
      args: user.args,
      installHint: user.installHint ?? INSTALL_HINT,
      interactiveMode: 'Never',
      provideClusterInfo: user.provideClusterInfo ?? false,
    },
  }
}

function toBase64(pem: string): string {
  return Buffer.from(pem).toString('base64')
}
