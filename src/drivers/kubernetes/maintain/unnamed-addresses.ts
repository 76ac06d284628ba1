import { directServers } from '../access/direct-servers.ts'
import type { HostApi } from '../host/host-api.ts'
import type { PlacedName } from '../context/object-names.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

/** Addresses of these come when the plane is there: of a load balancer, of the nodes where its pods are. */
const LATE = ['load-balancer', 'node-port']

/** The addresses that the host gave to an exposed plane since the certificate of its API was made. */
export async function unnamedAddresses(
  api: HostApi,
  place: PlacedName,
  { record, signal }: { record: PlaneRecord; signal: AbortSignal },
): Promise<string[]> {
  const { serverAddresses = [], spec } = record
  if (!LATE.includes(spec.host?.expose.type ?? 'none')) {
    return []
  }
  const named = [...serverAddresses, spec.host?.expose.host, ...spec.extraSans]
  const servers = await directServers(api, place, { spec, signal })
  return servers
    .map((server) => new URL(server).hostname.replaceAll(/^\[|\]$/g, ''))
    .filter((address) => !named.includes(address))
}
