import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { type Manifest, objectPathOf } from '../../../manifests/manifest.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { HostApi } from './host-api.ts'

/**
 * Applies objects, all at once but for bindings, and takes no field over that somebody else manages.
 *
 * @returns the objects as they are stored, in the same order.
 * @throws {VplaneError} `CONFLICT` naming the other manager, or what the host refused; every failure is in it.
 */
export async function applyObjects(
  api: Pick<HostApi, 'apply'>,
  objects: readonly Manifest[],
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const apply = (object: Manifest) =>
    api.apply(objectPathOf(object), object, { force: false, signal })
  const begun = new Map(
    objects.filter((object) => !isBinding(object)).map((object) => [object, apply(object)]),
  )
  // Whoever binds a role has to have what it gives: the host looks at the role, which has to be there.
  const rolesAreThere = Promise.allSettled(begun.values())
  const outcomes = await Promise.allSettled(
    objects.map((object) => begun.get(object) ?? rolesAreThere.then(() => apply(object))),
  )
  signal.throwIfAborted()
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [failureOf(objects[index], outcome.reason)] : [],
  )
  const [first, ...others] = failures
  if (first !== undefined) {
    throw others.length === 0 ? first : combined(failures, first)
  }
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}

function isBinding({ kind }: Manifest): boolean {
  return kind.endsWith('RoleBinding')
}

/** What the host said, with the object that it said it about. */
function failureOf(object: Manifest | undefined, error: unknown): VplaneError {
  const { code, hints } =
    error instanceof VplaneError ? error : { code: 'FAILED' as const, hints: [] }
  const what = object === undefined ? 'an object' : `${object.kind} "${object.metadata.name}"`
  return new VplaneError(code, `cannot apply ${what}: ${messageOf(error)}`, {
    hints: [...hints],
    cause: error,
  })
}

function combined(failures: readonly VplaneError[], first: VplaneError): VplaneError {
  const lines = failures.map(({ message }) => `  ${message}`)
  return new VplaneError(first.code, `${failures.length} objects failed:\n${lines.join('\n')}`, {
    hints: [...new Set(failures.flatMap(({ hints }) => hints))],
    cause: first,
  })
}
