import type { SwitchOperation } from '../../../control-plane/driver/sync-steps.ts'
import { makePlane } from './make-plane.ts'
import { unfinishedSwitch } from '../change/switch-sync.ts'
import { finishChange } from '../change/change-plane.ts'
import { createServiceAccountKeys } from '../../../pki/plane/service-account-keys.ts'
import { isAtServer } from '../../../control-plane/store/store.ts'
import type { Journal } from '../record/journal.ts'
import type { PlaneFiles } from '../objects/plane-keys.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { prepareSharedEtcd } from '../shared-etcd/prepare-shared-etcd.ts'
import { prepareDatabase } from '../database/prepare-database.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { observePlane } from '../observed/observed-plane.ts'
import { isAsWanted } from '../observed/is-as-wanted.ts'
import { holdPlane } from '../record/hold-plane.ts'
import { repairPlane } from '../maintain/repair-plane.ts'

/**
 * Starts missing components, or continues a creation or a change: one that switches `sync` only with its steps. Holds the
 * plane only if some do not run.
 */
export async function startPlane(
  context: Pick<
    KubernetesContext,
    'databases' | 'diagnose' | 'host' | 'now' | 'makeServiceAccountKeys'
  >,
  stored: ReadableRecord,
  operation: SwitchOperation,
): Promise<ReadableRecord> {
  const { databases, diagnose, makeServiceAccountKeys = createServiceAccountKeys, now } = context
  const host = await context.host()
  const { api } = host
  const { signal, ui } = operation
  const { name, namespace, record } = stored
  const place = { name, namespace }
  if (
    record.desired === 'running' &&
    record.isComplete &&
    record.previousSpec === undefined &&
    isAsWanted(record, await observePlane(api, place, signal))
  ) {
    return stored
  }
  const options = { place, id: record.id, operation: 'start', now } as const
  await using held = await holdPlane({ api }, options, operation)
  const { journal } = held
  // Before anything is stored: a plane whose database is missing stays paused.
  const changed =
    isAtServer(record.spec) && journal.record.isComplete
      ? await prepareServer({ databases, host, now }, journal, { place, operation })
      : {}
  const state = { desired: 'running', idleSince: undefined, neverStarted: undefined } as const
  await journal.step('starting', state)
  if (!journal.record.isComplete) {
    const serviceAccountKeys = makeServiceAccountKeys()
    await makePlane({ databases, diagnose, host }, journal, {
      place,
      now,
      operation,
      serviceAccountKeys,
    })
    return journal.stored
  }
  ui.step(`Starting Kubernetes ${record.spec.version}`)
  await repairPlane(api, journal, { place, now, changed, signal })
  const isLeft = unfinishedSwitch(journal.record) !== undefined && operation.steps === undefined
  await (journal.record.previousSpec === undefined || isLeft
    ? journal.finish()
    : finishChange(context, journal, { place, operation }))
  return journal.stored
}

/** Returns the files of the plane for its server that have changed since. */
async function prepareServer(
  { databases, host, now }: Pick<KubernetesContext, 'databases' | 'now'> & { host: Host },
  journal: Journal,
  { operation, place }: { place: PlacedName; operation: Operation },
): Promise<PlaneFiles> {
  const files = await storedKeys(host.api, place, operation.signal)
  return {
    ...(await prepareDatabase({ databases, host }, journal.record, { place, files, operation })),
    ...(await prepareSharedEtcd(host, journal, { place, files, now, operation })),
  }
}
