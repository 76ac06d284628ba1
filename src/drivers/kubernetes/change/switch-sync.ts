import { syncSwitch, type SyncSwitch } from '../../../control-plane/changes/sync-switch.ts'
import type { SpecChange } from '../../../control-plane/changes/changed-spec.ts'
import type { SyncSteps } from '../../../control-plane/driver/sync-steps.ts'
import type { Plane } from '../../../control-plane/plane/plane.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { clusterAddressesOf } from '../host/cluster-addresses.ts'
import { readEndpoint } from '../host/endpoint-service.ts'
import { type PlaneRecord, toPlane } from '../record/plane-record.ts'
import { placeSynced } from '../synced/place-synced.ts'
import { stopComponents } from '../workloads/stop-components.ts'
import type { ChangeContext } from '../objects/change-context.ts'

/** A switch of `sync` that is being done. */
export interface Switch {
  to: SyncSwitch
  steps: SyncSteps
}

/** Returns how the unfinished change of a plane switches `sync`; undefined when it does not. */
export function unfinishedSwitch({ previousSpec, spec }: PlaneRecord): SyncSwitch | undefined {
  return syncSwitch(previousSpec ?? spec, spec)
}

/** @throws {VplaneError} `FAILED` when a paused plane is to begin or cease to run pods. */
export function refuseSwitchWhilePaused(record: PlaneRecord, spec: PlaneSpec): void {
  const { desired, name, previousSpec = record.spec } = record
  if (desired !== 'running' && syncSwitch(previousSpec, spec) !== undefined) {
    throw new VplaneError('FAILED', `"${name}" is paused: "sync" is switched only while it runs`, {
      hints: [{ action: 'resume', plane: { name } }],
    })
  }
}

/** The fields of a record that a plane gets when it begins to run pods. */
export function sharing(
  { sharesNamespace = false }: PlaneRecord,
  { shareNamespace = false }: SpecChange,
): Pick<PlaneRecord, 'sharesNamespace'> {
  return sharesNamespace || shareNamespace ? { sharesNamespace: true } : {}
}

type SwitchContext = Pick<ChangeContext, 'host' | 'journal' | 'operation' | 'place'>

/** What comes before the components change: the address of the endpoint, or the end of the pods. */
export async function beginSwitch(context: SwitchContext, { steps, to }: Switch): Promise<void> {
  if (to === 'on') {
    return placeEndpointAgain(context)
  }
  const { host, journal, operation, place } = context
  const components = ['syncer', 'kube-scheduler'] as const
  await stopComponents(host.api, journal, { place, components, operation })
  await journal.step('removing pods and nodes')
  await steps.leave(planeOf(context))
}

/** The plane as it is recorded now. */
export function planeOf({ host, journal, place }: SwitchContext): Plane {
  const { namespace } = place
  return toPlane(journal.record, { namespace, hostContext: host.context })
}

/** Gives the endpoint the first address of a block, for which the certificate of the API is valid afterwards. */
async function placeEndpointAgain({
  host: { api },
  journal,
  operation,
  place,
}: SwitchContext): Promise<void> {
  const { signal } = operation
  const former = clusterAddressesOf(await readEndpoint(api, place, signal))
  await placeSynced(api, journal, { place, isMoved: false, signal })
  const current = clusterAddressesOf(await readEndpoint(api, place, signal))
  const { serverAddresses = [] } = journal.record
  const others = serverAddresses.filter((address) => !former.includes(address))
  await journal.step('naming the endpoint', {
    serverAddresses: [...new Set([...current, ...others])],
  })
}
