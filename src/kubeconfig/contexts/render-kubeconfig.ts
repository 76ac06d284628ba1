import type { ContextEntry } from './context-entry.ts'
import { toItems } from './entry-items.ts'
import { formatBlock } from '../text/yaml-text.ts'

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
