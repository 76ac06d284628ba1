import type { Leftover } from '../../../control-plane/driver/driver.ts'
import { messageOf } from '../../../shared/errors.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { FoundObject } from './inventory.ts'
import { arrayAt } from '../../../shared/json-fields.ts'

/** Finalizers that the host takes off by itself, when what they wait for is over. */
const USUAL = ['kubernetes.io/pvc-protection', 'foregroundDeletion', 'orphan']

/** What is said of objects that are still there: who keeps them. */
export function toLeftovers(
  found: readonly FoundObject[],
  refusals: ReadonlyMap<string, unknown>,
): Leftover[] {
  return found.map(({ isOwn, object, path }) => ({
    what: titleOf(object),
    why: isOwn
      ? whyThere(object, refusals.get(path))
      : 'it has the labels of the plane, but vplane did not make it',
  }))
}

/** `Secret "vplane-dev-ca"`. */
export function titleOf({ kind, metadata }: KubeObject): string {
  return `${kind} "${metadata.name}"`
}

function whyThere({ kind, metadata }: KubeObject, refusal: unknown): string {
  if (refusal !== undefined) {
    return `the host refuses to delete it: ${messageOf(refusal)}`
  }
  const finalizers = arrayAt(metadata, 'finalizers')
  const unusual = finalizers.filter((finalizer) => !USUAL.includes(String(finalizer)))
  if (metadata['deletionTimestamp'] === undefined) {
    return 'something makes it again'
  }
  if (unusual.length > 0) {
    return `the finalizer ${unusual.map((one) => `"${String(one)}"`).join(', ')} holds it`
  }
  return kind === 'Pod'
    ? 'its node does not say that it has ended'
    : 'it is deleted, and what uses it is not gone yet'
}
