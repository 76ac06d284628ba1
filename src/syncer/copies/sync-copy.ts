import { isLeaving, type KubeObject } from '../../shared/kube/kube-object.ts'
import { type ObjectKey, parseObjectKey } from '../../kube/cache/object-key.ts'
import { askHost, type Asking, reportRefusal } from '../events/reporter.ts'
import type { SyncedResource } from '../scope/resources.ts'
import type { Sides } from '../engine/sides.ts'
import { hostKeyOf } from '../translate/host-name.ts'
import { isRefusal, type Refusal } from '../translate/refusal.ts'
import type { UsedContents } from './used-contents.ts'
import { refusalOf } from '../fields/synced-fields.ts'
import { isOfEarlier } from '../translate/host-metadata.ts'
import {
  createHostObject,
  hostChange,
  type HostObjects,
  removeHostObject,
  updateHostObject,
} from '../host-objects/host-objects.ts'

export interface CopyKind {
  resource: SyncedResource
  /** The host object of a virtual one; undefined when it needs none; or why the host must not have it. */
  toHost: (virtual: KubeObject) => KubeObject | Refusal | undefined
  /** Fields of `spec` that keep the host's values unless the translated object sets them. @default none */
  hostFields?: readonly string[]
  /** Whether a host object needs the copy now. @default always */
  isUsed?: (key: ObjectKey) => boolean
  /** Where objects are in full, if their cache has metadata alone. @default it has them in full */
  contents?: Pick<UsedContents, 'forget' | 'read'>
  /** Why the host object lacks parts of the virtual one. @default it lacks none */
  lacks?: (virtual: KubeObject) => string[]
  showStatus?: (virtual: KubeObject, copy: KubeObject, signal: AbortSignal) => Promise<void>
}

export interface CopyOptions extends Asking, HostObjects, CopyKind {
  sides: Record<keyof Sides, Pick<Sides['host'], 'get'>>
}

/**
 * Creates or updates the host's copy of an object, or deletes the copy when the object is deleted, must not be copied or is
 * not used. Host objects that are not copies of this plane's objects never change.
 *
 * @throws {Error} when an object that does not belong to this plane has the name.
 */
export async function syncCopy(
  options: CopyOptions,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<void> {
  const { contents, isUsed, resource, scope, sides } = options
  const seen = sides.virtual.get(key)
  const known = sides.host.get(hostKeyOf(scope, parseObjectKey(key)))
  const isNeeded = seen !== undefined && !isLeaving(seen) && (isUsed?.(key) ?? true)
  if (!isNeeded) {
    contents?.forget(key)
  }
  const virtual = isNeeded && contents !== undefined ? await contents.read(seen, signal) : seen
  const isWanted = isNeeded && virtual !== undefined
  const wanted = isWanted
    ? (refusalOf(scope, resource, virtual) ?? options.toHost(virtual))
    : undefined
  if (virtual === undefined || wanted === undefined) {
    await removeHostObject(options, { resource, known }, signal)
  } else if (isRefusal(wanted)) {
    // An earlier copy that was accepted stays unchanged.
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
  const refusals = isWanted ? (options.lacks?.(virtual) ?? []) : []
  if (isWanted && refusals.length > 0) {
    await reportRefusal(options, virtual, { refusals })
  }
}

/** Whether the copy has to be replaced by a new object, because it is immutable. */
function isFixed(known: KubeObject, wanted: KubeObject): boolean {
  return known['immutable'] === true && hostChange(known, wanted) !== undefined
}
