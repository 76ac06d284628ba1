import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { IdlePause, PauseOptions } from '../../../control-plane/driver/requests.ts'
import { refusePause } from '../../../control-plane/plane/refuse-pause.ts'
import { stoppedByPause } from '../../../control-plane/plane/runs-while-paused.ts'
import { isNeverStarted } from '../../../control-plane/plane/recorded-plane.ts'
import { wakesForAny } from '../../../control-plane/plane/is-woken-by-any.ts'
import { gatewayOf } from '../../../manifests/gateway-records.ts'
import type { Host } from '../context/context.ts'
import { leadToPlane } from '../gateway/endpoint-switch.ts'
import { closeAtGateway } from '../gateway/gateway-planes.ts'
import { isUnfinished, type PlaneRecord } from '../record/plane-record.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { holdPlane } from '../record/hold-plane.ts'
import { keptOf, mayBeKept } from '../keeper/is-kept.ts'
import { restKeeper } from '../keeper/rest-keeper.ts'
import { setKept } from '../workloads/set-kept.ts'
import { stopComponents } from '../workloads/stop-components.ts'

/**
 * Records that a plane is paused, then stops its components and the pods that it runs, and at last the keeper of its
 * namespace if no other plane needs it. etcd of an ephemeral plane continues. Does not pause an idle plane that was used
 * meanwhile, or has an unfinished operation.
 *
 * @throws {VplaneError} `CONTROL_PLANE_NOT_FOUND` when it was deleted meanwhile, `TIMED_OUT` when a pod does not end,
 * `FAILED` when a repair of its etcd was interrupted, and as `refusePause`.
 */
export async function pausePlane(
  { host, now }: { host: () => Promise<Pick<Host, 'api'>>; now: () => Date },
  stored: ReadableRecord,
  operation: Operation & PauseOptions,
): Promise<void> {
  const { api } = await host()
  await pauseHeld({ api, now }, stored, operation)
  if (mayBeKept(stored.record)) {
    // The keeper that pauses an idle plane ends with this.
    await restKeeper(api, stored.namespace, operation.signal)
  }
}

async function pauseHeld(
  { api, now }: { api: Host['api']; now: () => Date },
  { name, namespace, record }: ReadableRecord,
  { idle, ...operation }: Operation & PauseOptions,
): Promise<void> {
  const place = { name, namespace }
  const options = { place, id: record.id, operation: 'pause', now } as const
  await using held = await holdPlane({ api }, options, operation)
  const { journal } = held
  refusePause({ ...place, spec: journal.record.spec })
  if (idle !== undefined && !(await isToPause(journal.record, idle))) {
    return
  }
  // It has no pods, and may still be waiting for its first client.
  const isNew = isNeverStarted(journal.record)
  const idleSince = idle?.since.toISOString()
  await journal.step('stopping', { desired: 'paused', idleSince })
  // Only after that: an interruption must not leave a plane that sleeps, and refuses its clients.
  if (idle === undefined && !isNew && wakesForAny(record.spec)) {
    const gateway = gatewayOf(namespace)
    await closeAtGateway(api, { gateway, key: name, id: record.id }, operation.signal)
    await leadToPlane(api, place, operation.signal)
  }
  const { spec } = journal.record
  const components = stoppedByPause(spec)
  const others = components.filter((one) => one !== 'keeper')
  const beforeApiEnds = idle?.beforeApiEnds
  await stopComponents(api, journal, { place, components: others, operation, beforeApiEnds })
  if (others.length < components.length) {
    // An idle plane is paused by the keeper of its namespace, which may do no more than this.
    await (idle === undefined && !isNew
      ? stopComponents(api, journal, { place, components: ['keeper'], operation })
      : setKept(api, place, { kept: keptOf(journal.record), signal: operation.signal }))
  }
  await journal.finish()
  if (spec.ephemeral && !isNeverStarted(journal.record)) {
    operation.ui.note(
      `etcd of "${name}" continues to run: it has the data of an ephemeral plane in memory.`,
    )
  }
}

/** The pause of an idle plane continues, but does not interrupt operations of others. */
async function isToPause(record: PlaneRecord, { isStill }: IdlePause): Promise<boolean> {
  if (record.desired !== 'running') {
    return record.idleSince !== undefined
  }
  return !isUnfinished(record) && (await isStill())
}
