import { EXTENSION_FORMAT, EXTENSION_NAME, type ContextEntry } from './context-entry.ts'
import { type ContextExtension, MARK, toExtensionValue } from './context-extension.ts'
import type { ListKey } from '../text/top-level.ts'
import { formatBlock, type Value } from '../text/yaml-text.ts'

const INSTALL_HINT =
  'vplane wrote this context and is not installed any more: npm install --global vplane'

interface Before extends Pick<ContextExtension, 'previousContext' | 'undo'> {
  /** The default namespace that a user gave the context. */
  defaultNamespace?: string | undefined
}

/** The kubeconfig entries of a context, its cluster and its user. */
export function toItems(
  entry: ContextEntry,
  { defaultNamespace, previousContext, undo }: Before,
): Record<ListKey, Value> {
  const { name, origin } = entry
  const record = { formatVersion: EXTENSION_FORMAT, ...origin, previousContext, undo }
  return {
    clusters: toClusterItem(entry),
    contexts: {
      name,
      context: {
        cluster: name,
        user: name,
        namespace: defaultNamespace,
        extensions: [{ name: EXTENSION_NAME, extension: toExtensionValue(record) }],
      },
    },
    users: { name, user: { ...toUser(entry.user), extensions: MARK } },
  }
}

/** The kubeconfig entry of a context's cluster. */
export function toClusterItem(entry: Omit<ContextEntry, 'user' | 'origin'>): Value {
  const { certificateAuthorityData, name, server } = entry
  const authority = toBase64(certificateAuthorityData)
  return { name, cluster: { server, 'certificate-authority-data': authority, extensions: MARK } }
}

/** A complete kubeconfig with one context, which is current. */
export function renderKubeconfig(entry: ContextEntry): string {
  const { clusters, contexts, users } = toItems(entry, { undo: { added: [], replaced: {} } })
  const lines = formatBlock({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': entry.name,
    clusters: [clusters],
    contexts: [contexts],
    users: [users],
  })
  return `${lines.join('\n')}\n`
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
      installHint: INSTALL_HINT,
      interactiveMode: 'Never',
      provideClusterInfo: true,
    },
  }
}

function toBase64(pem: string): string {
  return Buffer.from(pem).toString('base64')
}
