import { hash } from 'node:crypto'
import { type ObjectKey, toObjectKey } from '../scope/object-key.ts'
import type { SyncScope, VirtualKey } from '../scope/sync-scope.ts'

/** What fits a label and the name of a Service; names of other kinds may be longer, but none has to be. */
const LONGEST_NAME = 63
/** 80 bits: nobody finds a second object with the same ones. */
const HASH_DIGITS = 20
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/

/**
 * Name of the host object of a virtual one: `web-x-default-x-dev`, or a readable beginning and a hash where that would
 * be ambiguous, too long or no DNS label. Different virtual objects of one kind, of one plane or of several, never have
 * the same one, and none has the name of a component of a plane.
 */
export function hostNameOf(scope: SyncScope, { name, namespace }: VirtualKey): string {
  const parts = [name, namespace ?? '', scope.plane]
  const short = parts.join('-x-')
  if (parts.every(canBePart) && short.length <= LONGEST_NAME && !isComponentName(short)) {
    return short
  }
  // What is in no namespace of the plane is in none of the host: planes of all host namespaces meet there.
  const place = namespace === undefined ? [scope.host.namespace] : []
  const digits = hash('sha256', [...parts, ...place].join('\0')).slice(0, HASH_DIGITS)
  return `${readablePart(parts)}-${digits}`
}

/** The key of the host object of a virtual one that is in a namespace. */
export function hostKeyOf(scope: SyncScope, virtual: VirtualKey): ObjectKey {
  return toObjectKey({ name: hostNameOf(scope, virtual), namespace: scope.host.namespace })
}

/** The virtual object of a host name; undefined for a name that does not say it, as those with a hash do not. */
export function parseHostName(
  scope: SyncScope,
  hostName: string,
): Required<VirtualKey> | undefined {
  const [name = '', namespace = ''] = hostName.split('-x-')
  const virtual = { name, namespace }
  return hostNameOf(scope, virtual) === hostName ? virtual : undefined
}

/** No `x` stands alone between the dashes of such a part, so that those between parts can be told from it. */
function canBePart(part: string): boolean {
  return DNS_LABEL.test(part) && !/-x-|^x-|-x$/.test(part)
}

/** `vplane-dev-etcd`, `vplane-dev-record`: what planes themselves are made of. */
function isComponentName(name: string): boolean {
  return name.startsWith('vplane-')
}

/** Starts with a letter, as Services must, never with `vplane-`; without a lone `x`, which only short names have. */
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
