import { etcdObjects } from '../objects/etcd-objects.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'
import type { HoldPlaneOptions } from '../record/hold-plane.ts'
import { holdToMaintain } from '../record/hold-to-maintain.ts'

/**
 * Once every member of a plane's etcd has stored something, tells them so: from then on one with an empty volume refuses to start
 * instead of serving an empty plane. Left to the next look when somebody else works on the plane, or was
 * cut off.
 *
 * @throws {VplaneError} `CONFLICT` when somebody else manages the files that tell them.
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
  await journal.step('telling etcd that it has data')
  const record = { ...journal.record, hasData: true }
  const { configuration } = etcdObjects({ files: {}, journal: { record }, place: options.place })
  try {
    await applyObjects(api, configuration, signal)
  } catch (error) {
    if (error instanceof VplaneError && error.code === 'CONFLICT') {
      // Nothing was begun that somebody has to go on with.
      await journal.finish()
    }
    throw error
  }
  await journal.finish({ hasData: true })
}
