import { hash } from 'node:crypto'
import type { SyncScope } from '../scope/sync-scope.ts'
import { MANAGED_BY } from '../../manifests/object-names.ts'

/** Labels that make injectors of clouds give a pod an identity; renamed, so that selectors of the plane still match them. */
const IDENTITY_LABELS = ['azure.workload.identity/use', 'aadpodidbinding']

/**
 * The key of a user's label on the host. It is another one unless the plane's owner lets the host see it: selectors of others
 * in the namespace match labels, and injectors and policies of the host go by them.
 */
export function toHostLabelKey({ labels = ['*'] }: Pick<SyncScope, 'labels'>, key: string): string {
  const givesIdentity = (one: string) => IDENTITY_LABELS.includes(one)
  return isNamed(key, labels, givesIdentity) ? key : renamed('label', key)
}

/** A user's labels with their keys on the host. */
export function toHostLabels(
  scope: Pick<SyncScope, 'labels'>,
  labels: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [toHostLabelKey(scope, key), value]),
  )
}

/** Whether the owner's patterns let the host have a key: a dangerous one only in full, one of vplane's own never. */
export function isNamed(
  key: string,
  patterns: readonly string[],
  isDangerous: (key: string) => boolean,
): boolean {
  const isCovered = patterns.includes(key) || (isAmong(key, patterns) && !isDangerous(key))
  return isCovered && !isReserved(key)
}

/** Whether a key has one of these patterns: itself, `example.com/*`, or `*` for all. */
export function isAmong(key: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern,
  )
}

/** The key on the host for an annotation that is not copied but has to be read there. */
export function droppedAnnotationKey(key: string): string {
  return renamed('annotation', key)
}

/** Whether a key is one of vplane's own. */
export function isReserved(key: string): boolean {
  const domain = domainOf(key)
  return key === MANAGED_BY || domain === 'vplane.dev' || domain.endsWith('.vplane.dev')
}

/** The domain of a key in small letters, empty without one. */
export function domainOf(key: string): string {
  const slash = key.indexOf('/')
  return slash === -1 ? '' : key.slice(0, slash).toLowerCase()
}

/** No marker has this prefix. */
function renamed(what: 'label' | 'annotation', key: string): string {
  return `vplane.dev/${what}-${hash('sha256', key).slice(0, 16)}`
}
