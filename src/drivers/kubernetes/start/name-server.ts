import type { PlaneSpec } from '../../../control-plane/spec.ts'
import { directServers } from '../access/direct-servers.ts'
import { applyObjects } from '../create/apply-objects.ts'
import { certificateFields, keptKeys } from '../create/kept-keys.ts'
import { makeServerCertificate } from '../create/plane-keys.ts'
import { planeObjects } from '../create/plane-objects.ts'
import type { HostApi } from '../host-api.ts'
import type { PlacedName } from '../object-names.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { type HoldPlaneOptions, tryHoldPlane } from './hold-plane.ts'

/** Addresses of these come when the plane is there: of a load balancer, of the nodes where its pods are. */
const LATE = ['load-balancer', 'node-port']

/**
 * Makes the certificate of an exposed plane's API valid for the addresses that the host gave it since it was made. The
 * running kube-apiserver reads it again by itself. Left to the next look when somebody else works on the plane.
 */
export async function nameServer(
  api: HostApi,
  options: Omit<HoldPlaneOptions, 'operation'>,
  { record, signal }: { record: PlaneRecord; signal: AbortSignal },
): Promise<void> {
  const { now, place } = options
  const missing = await missingAddresses(api, place, { record, signal })
  if (missing.length === 0) {
    return
  }
  await using held = await tryHoldPlane({ api }, { ...options, operation: 'maintain' }, signal)
  if (held === undefined || held.journal.record.desired !== 'running') {
    return
  }
  const { journal } = held
  const { serverAddresses = [], spec } = journal.record
  const addresses = [...new Set([...serverAddresses, ...missing])]
  const kept = await keptKeys(api, place, signal)
  const files = { ...kept, ...makeServerCertificate(place, kept, { spec, now: now(), addresses }) }
  await journal.step('naming the server')
  const { needed } = planeObjects(place, journal.record, files)
  await applyObjects(
    api,
    needed.filter(({ kind }) => kind === 'Secret'),
    signal,
  )
  await journal.finish({ serverAddresses: addresses, ...certificateFields(files) })
}

async function missingAddresses(
  api: HostApi,
  place: PlacedName,
  { record, signal }: { record: PlaneRecord; signal: AbortSignal },
): Promise<string[]> {
  const { serverAddresses = [], spec } = record
  if (!LATE.includes(typeOf(spec))) {
    return []
  }
  const named = [...serverAddresses, spec.host?.expose.host, ...spec.extraSans]
  const servers = await directServers(api, place, { spec, signal })
  return servers
    .map((server) => new URL(server).hostname.replaceAll(/^\[|\]$/g, ''))
    .filter((address) => !named.includes(address))
}

function typeOf({ host }: PlaneSpec): string {
  return host?.expose.type ?? 'none'
}
