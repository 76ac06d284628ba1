import type { SyncScope } from '../../scope/sync-scope.ts'
import { toHostLabels } from '../host-keys.ts'
import { markerLabels } from '../host-metadata.ts'

/**
 * The selector of a host Service: only pods of the plane, of the Service's own virtual namespace. Undefined for a
 * Service without one, whose endpoints somebody writes: with the markers alone it would find every pod.
 */
export function toHostServiceSelector(
  scope: SyncScope,
  namespace: string,
  selector: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  return Object.keys(selector).length === 0
    ? undefined
    : { ...toHostLabels(selector), ...markerLabels(scope, namespace) }
}
