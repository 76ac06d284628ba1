import type { Leftover } from '../../../control-plane/driver/driver.ts'
import { messageOf } from '../../../shared/errors.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { FoundObject } from './inventory.ts'
import { arrayAt } from '../../../shared/json-fields.ts'

/** Finalizers that the host removes itself. */
const USUAL = ['kubernetes.io/pvc-protection', 'foregroundDeletion', 'orphan']

/** Describes the objects that still exist, and why each does. */
export function toLeftovers(
  found: readonly FoundObject[],
  refusals: ReadonlyMap<string, unknown>,
): Leftover[] {
  return found.map(({ isOwn, object, path }) => ({
    what: titleOf(object),
    why: isOwn
      ? whyPresent(object, refusals.get(path))
      : 'it has the labels of the plane, but vplane did not create it',
  }))
}

/** `Secret "vplane-dev-ca"`. */
export function titleOf({ kind, metadata }: KubeObject): string {
  return `${kind} "${metadata.name}"`
}

function whyPresent({ kind, metadata }: KubeObject, refusal: unknown): string {
  if (refusal !== undefined) {
    return `the host refuses to delete it: ${messageOf(refusal)}`
  }
  const finalizers = arrayAt(metadata, 'finalizers')
  const unusual = finalizers.filter((finalizer) => !USUAL.includes(String(finalizer)))
  if (metadata['deletionTimestamp'] === undefined) {
    return 'something creates it again'
  }
  if (unusual.length > 0) {
    return `it has the finalizer ${unusual.map((one) => `"${String(one)}"`).join(', ')}`
  }
  return kind === 'Pod'
    ? 'its node does not report that it has stopped'
    : 'it is being deleted, but something still uses it'
}
