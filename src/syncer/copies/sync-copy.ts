import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { type ObjectKey, parseObjectKey } from '../scope/object-key.ts'
import { askHost, reportRefusal } from '../events/refusals.ts'
import type { Reporter } from '../events/reporter.ts'
import type { SyncedResource } from '../scope/resources.ts'
import type { Sides } from '../engine/object-cache.ts'
import { hostKeyOf } from '../translate/host-name.ts'
import { isRefusal, type Refusal } from '../translate/refusal.ts'
import { isOfEarlier } from '../translate/virtual-of.ts'
import { hostChange } from '../host-objects/host-change.ts'
import {
  createHostObject,
  type HostObjects,
  removeHostObject,
  updateHostObject,
} from '../host-objects/host-objects.ts'

/** A kind of which the host has copies. */
export interface CopyKind {
  resource: SyncedResource
  /** The host object of a virtual one; undefined when there is to be none; or why the host must not have it. */
  toHost: (virtual: KubeObject) => KubeObject | Refusal | undefined
  /** Fields of `spec` that stay as the host has them where nothing is wanted of them. @default none */
  hostsOwn?: readonly string[]
  /** Whether something on the host needs it now. @default always */
  isUsed?: (key: ObjectKey) => boolean
  /** Brings to the plane what the host has made of it. */
  showStatus?: (virtual: KubeObject, copy: KubeObject, signal: AbortSignal) => Promise<void>
}

export interface CopyOptions extends HostObjects, CopyKind {
  sides: Record<keyof Sides, Pick<Sides['host'], 'get'>>
  reporter: Reporter
}

/**
 * Makes the host's copy of an object equal to it, or removes the copy where the object is gone, must not be there or is
 * used by nothing. An object of the host that is not a copy of ours is never touched.
 *
 * @throws {Error} when an object that is not of this plane has the name.
 */
export async function syncCopy(
  options: CopyOptions,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<void> {
  const { isUsed, resource, scope, sides } = options
  const virtual = sides.virtual.get(key)
  const known = sides.host.get(hostKeyOf(scope, parseObjectKey(key)))
  const isWanted = virtual !== undefined && !isLeaving(virtual) && (isUsed?.(key) ?? true)
  const wanted = isWanted ? options.toHost(virtual) : undefined
  if (virtual === undefined || wanted === undefined) {
    await removeHostObject(options, { resource, known }, signal)
  } else if (isRefusal(wanted)) {
    // What was taken before, as it was then, stays.
    await reportRefusal(options, virtual, wanted)
  } else if (known === undefined) {
    await askHost(options, virtual, () => createHostObject(options, { resource, wanted }, signal))
  } else if (isOfEarlier(known, virtual) || isFixed(known, wanted)) {
    await removeHostObject(options, { resource, known }, signal)
  } else {
    const update = { ...options, known, wanted }
    await askHost(options, virtual, () => updateHostObject(options, update, signal))
    await options.showStatus?.(virtual, known, signal)
  }
}

/** Tells whether only another object can be what is wanted. */
function isFixed(known: KubeObject, wanted: KubeObject): boolean {
  return known['immutable'] === true && hostChange(known, wanted) !== undefined
}
