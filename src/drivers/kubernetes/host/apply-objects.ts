import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { type Manifest, objectPathOf } from '../../../manifests/manifest.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { HostApi } from './host-api.ts'

/**
 * Applies objects concurrently, bindings after all others, and returns them as stored, in the same order.
 *
 * @throws {VplaneError} `CONFLICT` naming another manager, whose fields it does not take over, or the refusal of the
 * host; the message has every failure.
 */
export async function applyObjects(
  api: Pick<HostApi, 'apply'>,
  objects: readonly Manifest[],
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const apply = (object: Manifest) =>
    api.apply(objectPathOf(object), object, { force: false, signal })
  const started = new Map(
    objects.filter((object) => !isBinding(object)).map((object) => [object, apply(object)]),
  )
  // The host compares the rights of the user with those of the role, so that the role must exist first.
  const others = Promise.allSettled(started.values())
  const outcomes = await Promise.allSettled(
    objects.map((object) => started.get(object) ?? others.then(() => apply(object))),
  )
  signal.throwIfAborted()
  const failures = objects.flatMap((object, index) => {
    const outcome = outcomes[index]
    return outcome?.status === 'rejected' ? [failureOf(object, outcome.reason)] : []
  })
  const [first] = failures
  if (first !== undefined) {
    throw failures.length === 1 ? first : combined(failures, first)
  }
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}

function isBinding({ kind }: Manifest): boolean {
  return kind.endsWith('RoleBinding')
}

/** Adds the object to the message of the host. */
function failureOf({ kind, metadata }: Manifest, error: unknown): VplaneError {
  const { code, hints } =
    error instanceof VplaneError ? error : { code: 'FAILED' as const, hints: [] }
  const message = `cannot apply ${kind} "${metadata.name}": ${messageOf(error)}`
  return new VplaneError(code, message, { hints: [...hints], cause: error })
}

function combined(failures: readonly VplaneError[], first: VplaneError): VplaneError {
  const lines = failures.map(({ message }) => `  ${message}`)
  return new VplaneError(first.code, `${failures.length} objects failed:\n${lines.join('\n')}`, {
    hints: [...new Set(failures.flatMap(({ hints }) => hints))],
    cause: first,
  })
}
