import type { Operation } from '../../../control-plane/driver/operation.ts'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { recordAt, textsAt } from '../../../shared/json-fields.ts'
import type { ServiceAccountKeys } from '../../../pki/plane/service-account-keys.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { HostApi } from '../host/host-api.ts'
import type { Journal } from '../record/journal.ts'
import type { PlacedName } from '../context/object-names.ts'
import { retryRefused } from '../workloads/retry-refused.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { hostServiceRange } from '../host/host-service-range.ts'
import { certificateFields, storedKeys } from '../objects/stored-keys.ts'
import { nodeAddresses } from './node-addresses.ts'
import { ownedByNamespace } from '../host/owned-by-namespace.ts'
import { placeEndpoint } from './place-endpoint.ts'
import { makeKeys } from '../objects/plane-keys.ts'
import { collectionsOf, planeObjects } from '../objects/plane-objects.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

export interface MakeOptions {
  place: PlacedName
  now: () => Date
  operation: Operation
  /** Being made already, as they take longest by far. */
  serviceAccountKeys: Promise<ServiceAccountKeys>
  /** Files of the same plane elsewhere: what they hold is not made anew. @default none */
  kept?: Record<string, string> | undefined
}

/**
 * Makes all objects of a plane from its record, or goes on where that was cut off: the endpoint first, then what pods
 * need, then the workloads. Whoever calls holds the plane.
 *
 * @throws {VplaneError} `CONFLICT` when others manage what it is to write or work on the plane, `FAILED` when the host
 * refuses something or keys are lost.
 */
export async function makePlane(
  api: HostApi,
  journal: Journal,
  { kept, now, operation, place, serviceAccountKeys }: MakeOptions,
): Promise<void> {
  const { signal, ui } = operation
  if (journal.record.spec.host?.sync !== undefined && !journal.record.hasKeys) {
    await placeSynced(api, journal, { place, isElsewhere: kept !== undefined, signal })
  }
  const { hasKeys, spec } = journal.record
  const { endpoint } = planeObjects(place, journal.record, {})
  const [[service], hostGivesIds, nodes] = await Promise.all([
    applyObjects(api, endpoint, signal),
    doesHostGiveIds(api, signal),
    nodeAddresses(api, spec, signal),
  ])
  const addresses = [...addressesOf(service), ...nodes]
  ui.step('Applying keys and configuration')
  const [files] = await Promise.all([
    hasKeys
      ? storedKeys(api, place, signal)
      : makeKeys(place, { spec, now: now(), addresses, serviceAccountKeys, kept }),
    journal.step('applying keys and configuration', { hostGivesIds }),
  ])
  const { needed, workloads } = planeObjects(place, journal.record, files)
  await applyObjects(api, await ownedByNamespace(api, needed, { ...place, signal }), signal)
  // From here on the keys are those of something that runs: another run takes them as they are.
  await journal.step('applying the components', {
    hasKeys: true,
    ...(hasKeys ? {} : { serverAddresses: addresses }),
    collections: collectionsOf([...endpoint, ...needed, ...workloads]),
    ...certificateFields(files),
  })
  ui.step(`Starting Kubernetes ${spec.version}`)
  await applyObjects(api, workloads, signal)
  await retryRefused(api, place, signal)
  await journal.finish({ isComplete: true })
}

/**
 * Gives a plane that runs pods its endpoint, and the range of cluster IPs that goes with that: the one that it had elsewhere,
 * where it can.
 */
async function placeSynced(
  api: HostApi,
  journal: Journal,
  { isElsewhere, place, signal }: { place: PlacedName; isElsewhere: boolean; signal: AbortSignal },
): Promise<void> {
  const { spec } = journal.record
  const { host } = spec
  const { endpoint } = planeObjects(place, journal.record, {})
  const service = endpoint.find(({ kind }) => kind === 'Service')
  if (host?.sync === undefined || service === undefined) {
    return
  }
  const said = host.sync.serviceRange
  const learn = () => hostServiceRange(api, place.namespace, signal)
  const range = isElsewhere ? await learn().catch(orElse(said)) : (said ?? (await learn()))
  const former = isElsewhere ? spec.serviceRange : undefined
  const serviceRange = await placeEndpoint(api, { endpoint: service, range, former }, signal)
  const sync = { ...host.sync, serviceRange: range }
  await journal.step('placing the endpoint', {
    spec: { ...spec, serviceRange, host: { ...host, sync } },
  })
}

/** What is said of the host where it was is no more than a guess here. */
function orElse(range: string | undefined): (error: unknown) => string {
  return (error) => {
    if (range === undefined || !(error instanceof VplaneError) || error.code !== 'FAILED') {
      throw error
    }
    return range
  }
}

/** OpenShift's way: pods that name ids of their own are refused there. */
async function doesHostGiveIds(api: HostApi, signal: AbortSignal): Promise<boolean> {
  try {
    return (await api.get('/apis/security.openshift.io', { signal })) !== undefined
  } catch (error) {
    signal.throwIfAborted()
    if (httpStatusOf(error) === 403) {
      return false
    }
    throw error
  }
}

/** The addresses of a Service inside of the host cluster. */
function addressesOf(service: KubeObject | undefined): string[] {
  const { clusterIP, clusterIPs = [clusterIP] } = recordAt(service, 'spec') ?? {}
  return textsAt(clusterIPs).filter((one) => one !== '' && one !== 'None')
}
