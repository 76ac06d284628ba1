import { messageOf, VplaneError } from '../../../shared/errors.ts'
import type { HostObject as Manifest } from '../../../manifests/host-object.ts'
import { objectPathOf } from '../../../manifests/host-object.ts'
import type { HostApi, HostObject } from '../host-api.ts'

/**
 * Applies objects, all at once, and takes no field over that somebody else manages.
 *
 * @returns the objects as they are stored, in the same order.
 * @throws {VplaneError} `CONFLICT` naming the other manager, or what the host refused; every failure is in it.
 */
export async function applyObjects(
  api: Pick<HostApi, 'apply'>,
  objects: readonly Manifest[],
  signal: AbortSignal,
): Promise<HostObject[]> {
  const outcomes = await Promise.allSettled(
    objects.map((object) => api.apply(objectPathOf(object), object, { force: false, signal })),
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
