import { componentsOf } from '../../../control-plane/plane/plane.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Host } from '../context/context.ts'
import { isWokenByAny } from '../../../control-plane/plane/is-woken-by-any.ts'
import { replicasOf, scaledTo, workloadPath } from '../observed/workloads.ts'
import { holdPlane } from '../record/hold-plane.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { setKept } from '../workloads/set-kept.ts'

/**
 * Starts the components of a plane that has paused itself or was never started, which is all that the keeper may do, or
 * continues such a start.
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was deleted meanwhile, `FAILED` when a user has paused it, or has to
 * finish something first.
 */
export async function wakePlane(
  { api, now }: Pick<Host, 'api'> & { now: () => Date },
  { name, namespace, record: { id } }: ReadableRecord,
  { signal, ui }: Pick<Operation, 'signal' | 'ui'>,
): Promise<void> {
  const place = { name, namespace }
  await using held = await holdPlane(
    { api },
    { place, id, operation: 'start', now },
    { signal, ui },
  )
  const { journal } = held
  const { record } = journal
  if (record.desired !== 'running' && !isWokenByAny(record)) {
    throw new VplaneError('FAILED', 'it was paused')
  }
  if (!record.isComplete || record.previousSpec !== undefined) {
    throw new VplaneError('FAILED', 'a change of it is not finished')
  }
  const state = { desired: 'running', idleSince: undefined, neverStarted: undefined } as const
  await journal.step('starting', state)
  await Promise.all(
    componentsOf(record.spec)
      .filter((component) => component !== 'keeper')
      .map((component) => {
        const replicas = replicasOf(record, component)
        const options = { type: 'merge', signal } as const
        return api.patch(workloadPath(place, component), scaledTo(replicas), options)
      }),
  )
  await setKept(api, place, { kept: 'true', signal })
  await journal.finish()
}
