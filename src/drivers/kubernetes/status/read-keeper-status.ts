import { keeperPart } from '../../../control-plane/status/keeper-part.ts'
import type { PlaneStatus } from '../../../control-plane/status/plane-status.ts'
import { keeperStatusOf } from '../../../manifests/keeper-status.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { objectPath } from '../host/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

/**
 * What the keeper of a plane says: how its backups stand, when it was used, and what is wrong with it while it is to run.
 * Nothing of a plane without one.
 *
 * @throws {VplaneError} `FAILED` when a newer vplane wrote it.
 */
export async function readKeeperStatus(
  api: Pick<HostApi, 'get'>,
  { name, namespace }: PlacedName,
  { record, signal }: { record: Pick<PlaneRecord, 'desired' | 'spec'>; signal: AbortSignal },
): Promise<Pick<PlaneStatus, 'alarms' | 'backup' | 'usedAt'>> {
  if (record.spec.host?.keeper === undefined) {
    return {}
  }
  const place = { name: objectName(name, 'keeper-status'), namespace }
  const { alarms, backup, idle } = keeperStatusOf(
    await api.get(objectPath('configmaps', place), { signal }),
  )
  const { desired, spec } = record
  return keeperPart(
    { desired: desired === 'running' ? 'running' : 'paused', spec },
    { alarms: () => alarms, backup: () => backup, idle: () => idle },
  )
}
