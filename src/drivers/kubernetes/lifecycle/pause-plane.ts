import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { IdlePause, PauseOptions } from '../../../control-plane/driver/requests.ts'
import { stoppedByPause } from '../../../control-plane/plane/runs-while-paused.ts'
import type { Host } from '../context/context.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { holdPlane, refuseHalfDeleted, refuseHalfRepaired } from '../record/hold-plane.ts'
import { stopComponents } from '../workloads/stop-components.ts'

export interface PauseContext {
  host: () => Promise<Pick<Host, 'api'>>
  now: () => Date
}

/**
 * Records that a plane is to rest, then takes its pods away, and those that it runs, its keeper last. Its data stays: etcd
 * of an ephemeral plane, whose data would go with the pod, runs on. One that pauses itself is left alone when it was used
 * meanwhile, or somebody is not done with it.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was removed meanwhile, `TIMED_OUT` when a pod does not end,
 * `FAILED` when a repair of its etcd was cut off.
 */
export async function pausePlane(
  { host, now }: PauseContext,
  { name, namespace, record }: ReadableRecord,
  { idle, ...operation }: Operation & PauseOptions,
): Promise<void> {
  const { api } = await host()
  const place = { name, namespace }
  const options = { place, id: record.id, operation: 'pause', now } as const
  await using held = await holdPlane({ api }, options, operation)
  const { journal } = held
  refuseHalfDeleted(journal.record)
  if (idle !== undefined && !(await isToPause(journal.record, idle))) {
    return
  }
  refuseHalfRepaired(journal.record)
  const idleSince = idle?.since.toISOString()
  await journal.step('stopping', { desired: 'paused', idleSince })
  const { spec } = journal.record
  const components = stoppedByPause(spec)
  const others = components.filter((one) => one !== 'keeper')
  await stopComponents(api, journal, { place, components: others, operation })
  const keeper = components.filter((one) => one === 'keeper')
  // One that pauses itself is paused by its keeper, which does not wait for its own end.
  const wait = idle === undefined
  await stopComponents(api, journal, { place, components: keeper, operation, wait })
  await journal.finish()
  if (spec.ephemeral) {
    operation.ui.note(
      `etcd of "${name}" runs on: it holds the data of an ephemeral plane in memory.`,
    )
  }
}

/** One that began to pause itself goes on with that; what somebody else has begun is not to be cut off. */
async function isToPause(
  { desired, idleSince, isComplete, journal, restoring }: PlaneRecord,
  { isStill }: IdlePause,
): Promise<boolean> {
  if (desired !== 'running') {
    return idleSince !== undefined
  }
  return isComplete && journal === undefined && restoring === undefined && (await isStill())
}
