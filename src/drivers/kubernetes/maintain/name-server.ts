import { applyKeys } from './apply-keys.ts'
import { certificateFields, storedKeys } from '../objects/stored-keys.ts'
import { makeServerCertificate } from '../objects/plane-keys.ts'
import type { HostApi } from '../host/host-api.ts'
import { type HoldPlaneOptions, holdToMaintain } from '../record/hold-plane.ts'

/** Adds addresses to the API's certificate, unless another operation runs or was interrupted. */
export async function nameServer(
  api: HostApi,
  options: Omit<HoldPlaneOptions, 'operation'>,
  { addresses: missing, signal }: { addresses: readonly string[]; signal: AbortSignal },
): Promise<void> {
  const { now, place } = options
  await using held = await holdToMaintain(api, options, signal)
  if (held === undefined || held.journal.record.desired !== 'running') {
    return
  }
  const { journal } = held
  const { serverAddresses = [], spec } = journal.record
  const addresses = [...new Set([...serverAddresses, ...missing])]
  const keys = await storedKeys(api, place, signal)
  const files = { ...keys, ...makeServerCertificate(place, keys, { spec, now: now(), addresses }) }
  await journal.step('naming the server')
  await applyKeys(api, { place, record: journal.record, files, signal })
  await journal.finish({ serverAddresses: addresses, ...certificateFields(files) })
}
