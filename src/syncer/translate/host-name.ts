import { hash } from 'node:crypto'
import { type ObjectKey, toObjectKey } from '../../kube/cache/object-key.ts'
import type { SyncScope, VirtualKey } from '../scope/sync-scope.ts'

/** The limit of labels and of names of Services; other kinds have higher limits. */
const LONGEST_NAME = 63
/** 80 bits, too many to find a second object with the same digits. */
const HASH_DIGITS = 20
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/

/**
 * The host name of an object: `web-x-default-x-dev`, or words and a hash if that would be ambiguous, too long or not a
 * DNS label. Unique among objects of one kind of all planes, and different from planes' own components.
 */
export function hostNameOf(scope: SyncScope, { name, namespace }: VirtualKey): string {
  const parts = [name, namespace ?? '', scope.plane]
  const short = parts.join('-x-')
  if (parts.every(canBePart) && short.length <= LONGEST_NAME && !isComponentName(short)) {
    return short
  }
  // Cluster-scoped host objects share one set of names, whatever the host namespaces of their planes are.
  const place = namespace === undefined ? [scope.host.namespace] : []
  const digits = hash('sha256', [...parts, ...place].join('\0')).slice(0, HASH_DIGITS)
  return `${readablePart(parts)}-${digits}`
}

/** The key of the host object of a namespaced virtual one. */
export function hostKeyOf(scope: SyncScope, virtual: VirtualKey): ObjectKey {
  return toObjectKey({ name: hostNameOf(scope, virtual), namespace: scope.host.namespace })
}

/** The virtual object that a host name contains; undefined for other names, such as those with a hash. */
export function parseHostName(
  scope: SyncScope,
  hostName: string,
): Required<VirtualKey> | undefined {
  const [name = '', namespace = ''] = hostName.split('-x-')
  const virtual = { name, namespace }
  return hostNameOf(scope, virtual) === hostName ? virtual : undefined
}

/** A part must not have an `x` alone between dashes, which separates parts. */
function canBePart(part: string): boolean {
  return DNS_LABEL.test(part) && !/-x-|^x-|-x$/.test(part)
}

/** Planes use such names themselves: `vplane-dev-etcd`, `vplane-dev-record`. */
function isComponentName(name: string): boolean {
  return name.startsWith('vplane-')
}

/** Starts with a letter, as Services require, and not with `vplane-`; has no `x` alone, which only short names have. */
function readablePart(parts: readonly string[]): string {
  const words = parts
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_NAME - HASH_DIGITS - 2)
    .split('-')
    .filter((word) => word !== '' && word !== 'x')
  while (words[0] === 'vplane') {
    words.shift()
  }
  const readable = words.join('-')
  return /^[a-z]/.test(readable) ? readable : `v${readable}`
}
