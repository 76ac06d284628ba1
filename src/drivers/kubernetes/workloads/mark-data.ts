import { storeObjects } from '../objects/store-objects.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { ownStoreOf, storeOf } from '../../../control-plane/store/store.ts'
import { isVplaneError } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'
import { type HoldPlaneOptions, holdToMaintain } from '../record/hold-plane.ts'

/**
 * Tells all members of etcd, or kine, that they have data: from then on one with an empty volume refuses to start. Leaves it
 * to the next check while another operation runs or was interrupted.
 *
 * @throws {VplaneError} `CONFLICT` when someone else manages the ConfigMap that tells them.
 */
export async function markData(
  api: HostApi,
  options: Omit<HoldPlaneOptions, 'operation'>,
  signal: AbortSignal,
): Promise<void> {
  await using held = await holdToMaintain(api, options, signal)
  if (held === undefined || held.journal.record.hasData) {
    return
  }
  const { journal } = held
  const { title } = storeOf(journal.record.spec)
  await journal.step(`noting that its ${title} has data`)
  const record = { ...journal.record, hasData: true }
  const configuration =
    ownStoreOf(record.spec) === undefined
      ? []
      : storeObjects({ files: {}, journal: { record }, place: options.place }).configuration
  try {
    await applyObjects(api, configuration, signal)
  } catch (error) {
    if (isVplaneError(error, 'CONFLICT')) {
      // The next command must not resume this.
      await journal.finish()
    }
    throw error
  }
  await journal.finish({ hasData: true })
}
