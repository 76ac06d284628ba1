import { VplaneError } from '../../shared/errors.ts'
import { causesOf } from '../kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** The error of an apply without `force`, with the managers of the fields on one line; any other error unchanged. */
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
