import { VplaneError } from '../../shared/errors.ts'
import { causesOf } from '../kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/**
 * The error of an apply that takes nothing over, with those who manage the fields; any other error as it is.
 *
 * The server says the same in several lines, one for each field.
 */
export function toApplyConflict(error: unknown, { kind, metadata }: KubeObject): unknown {
  const conflicts = causesOf(error).filter(({ reason }) => reason === 'FieldManagerConflict')
  if (conflicts.length === 0) {
    return error
  }
  const fieldsOf = Map.groupBy(conflicts, ({ message }) => managerIn(message))
  const managers = [...fieldsOf].map(
    ([manager, fields]) => `"${manager}" manages ${fields.map(({ field }) => field).join(', ')}`,
  )
  const object = `${kind} "${metadata.name ?? ''}"`
  return new VplaneError('CONFLICT', `cannot change ${object}: ${managers.join('; ')}`, {
    cause: error instanceof VplaneError ? error.cause : error,
  })
}

/** The manager in `conflict with "kubectl" with subresource "status" using apps/v1 at 2026-01-02T03:04:05Z`. */
function managerIn(message: string): string {
  return /"([^"]+)"/.exec(message)?.[1] ?? message
}
