import type { Operation } from '../../../control-plane/driver.ts'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import { isRecord } from '../../../kube/kube-object.ts'
import { collectionPathOf } from '../../../manifests/host-object.ts'
import type { ServiceAccountKeys } from '../../../pki/service-account-keys.ts'
import type { HostApi, HostObject } from '../host-api.ts'
import type { Journal } from '../lock/journal.ts'
import type { PlacedName } from '../object-names.ts'
import { applyObjects } from './apply-objects.ts'
import { certificateFields, keptKeys } from './kept-keys.ts'
import { nodeAddresses } from './node-addresses.ts'
import { makeKeys } from './plane-keys.ts'
import { planeObjects } from './plane-objects.ts'

export interface MakeOptions {
  place: PlacedName
  now: () => Date
  operation: Operation
  /** Being made already, as they take longest by far. */
  serviceAccountKeys: Promise<ServiceAccountKeys>
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
  { now, operation, place, serviceAccountKeys }: MakeOptions,
): Promise<void> {
  const { signal, ui } = operation
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
      ? keptKeys(api, place, signal)
      : makeKeys(place, { spec, now: now(), addresses, serviceAccountKeys }),
    journal.step('applying keys and configuration', { hostGivesIds }),
  ])
  const { needed, workloads } = planeObjects(place, journal.record, files)
  await applyObjects(api, needed, signal)
  // From here on the keys are those of something that runs: another run takes them as they are.
  await journal.step('applying the components', {
    hasKeys: true,
    ...(hasKeys ? {} : { serverAddresses: addresses }),
    collections: [...new Set([...endpoint, ...needed, ...workloads].map(collectionPathOf))].sort(),
    ...certificateFields(files),
  })
  ui.step(`Starting Kubernetes ${spec.version}`)
  await applyObjects(api, workloads, signal)
  await journal.finish({ isComplete: true })
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
function addressesOf(service: HostObject | undefined): string[] {
  const spec = isRecord(service?.['spec']) ? service['spec'] : {}
  const addresses = Array.isArray(spec['clusterIPs']) ? spec['clusterIPs'] : [spec['clusterIP']]
  return addresses.filter((one) => typeof one === 'string' && one !== '' && one !== 'None')
}
