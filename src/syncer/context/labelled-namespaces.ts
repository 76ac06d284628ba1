import type { SyncContext } from './sync-context.ts'
import type { LabelledNamespace } from '../translate/label-selector.ts'

/** The plane's namespaces with their labels, as they are now. */
export function labelledNamespaces({
  namespaces,
}: Pick<SyncContext, 'namespaces'>): LabelledNamespace[] {
  return [...namespaces.values()].map(({ metadata: { labels = {}, name = '' } }) => ({
    name,
    labels,
  }))
}
