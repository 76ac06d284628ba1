import { hasEphemeralMembers } from '../../../control-plane/spec/needs-keeper.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Hint } from '../../../shared/hint.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

/**
 * Refuses to replace the only pod of etcd of an ephemeral plane, which has the only copy of the data.
 *
 * @param hints what can be done instead
 * @throws {VplaneError} `FAILED` for an ephemeral plane with one member.
 */
export function refuseDataLoss(
  { name, spec }: Pick<PlaneRecord, 'name' | 'spec'>,
  hints: readonly Hint[],
): void {
  if (spec.ephemeral && !hasEphemeralMembers(spec)) {
    throw new VplaneError(
      'FAILED',
      `"${name}" is ephemeral: its data is in the pod of etcd, and is lost when that pod is replaced`,
      { hints },
    )
  }
}
