import { isVplaneError } from '../../../shared/errors.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { HostApi } from '../host/host-api.ts'
import { hostServiceRange } from '../host/host-service-range.ts'
import { planeObjects } from '../objects/plane-objects.ts'
import type { Journal } from '../record/journal.ts'
import { placeEndpoint } from './place-endpoint.ts'

export interface PlaceOptions {
  place: PlacedName
  /** The plane comes from another place, where it had another range. */
  isMoved: boolean
  signal: AbortSignal
}

/**
 * Gives the endpoint of a plane that runs pods its address, and records the range of cluster IPs around it: if possible the
 * former one. Does nothing for another plane. The caller holds the plane.
 *
 * @throws {VplaneError} `FAILED` when the host does not report its range, or no address is free.
 */
export async function placeSynced(
  api: HostApi,
  journal: Journal,
  { isMoved, place, signal }: PlaceOptions,
): Promise<void> {
  const { spec } = journal.record
  const { host } = spec
  const { endpoint } = planeObjects(place, journal.record, {})
  const service = endpoint.find(({ kind }) => kind === 'Service')
  if (host?.sync === undefined || service === undefined) {
    return
  }
  const given = host.sync.serviceRange
  const read = () => hostServiceRange(api, place.namespace, signal)
  const range = isMoved ? await read().catch(orElse(given)) : (given ?? (await read()))
  const former = isMoved ? spec.serviceRange : undefined
  const serviceRange = await placeEndpoint(api, { endpoint: service, range, former }, signal)
  const sync = { ...host.sync, serviceRange: range }
  await journal.step('placing the endpoint', {
    spec: { ...spec, serviceRange, host: { ...host, sync } },
  })
}

/** After a move the range of the former host is only used if this host does not report its own. */
function orElse(range: string | undefined): (error: unknown) => string {
  return (error) => {
    if (range === undefined || !isVplaneError(error, 'FAILED')) {
      throw error
    }
    return range
  }
}
