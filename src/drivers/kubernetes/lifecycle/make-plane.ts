import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { HostAnswers, HostTraits } from '../../../control-plane/driver/requests.ts'
import { unlessStatus } from '../../../kube/kube-error.ts'
import { recordsAt, textAt } from '../../../shared/json-fields.ts'
import type { ServiceAccountKeys } from '../../../pki/plane/service-account-keys.ts'
import type { HostApi } from '../host/host-api.ts'
import type { ChangeContext } from '../objects/change-context.ts'
import type { Journal } from '../record/journal.ts'
import {
  ALL_COMPONENT_NAMES,
  type AnyComponentName,
  SERVING_NAMES,
} from '../../../control-plane/plane/plane.ts'
import type { Manifest } from '../../../manifests/manifest.ts'
import { isKeeperSettings } from '../../../manifests/keeper-settings.ts'
import { COMPONENT_LABEL } from '../../../manifests/object-names.ts'
import { waitUntilRolled } from '../rollout/roll-components.ts'
import type { PlacedName } from '../context/object-names.ts'
import { applyKeys } from '../maintain/apply-keys.ts'
import { retryRefused } from '../workloads/retry-refused.ts'
import { clusterAddressesOf } from '../host/cluster-addresses.ts'
import { applyEndpoint } from '../gateway/apply-endpoint.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { certificateFields, storedKeys } from '../objects/stored-keys.ts'
import { ownedByNamespace } from '../host/owned-by-namespace.ts'
import { isKept, keptOf } from '../keeper/is-kept.ts'
import { raiseKeeper } from '../keeper/raise-keeper.ts'
import { placeSynced } from '../synced/place-synced.ts'
import { type KeyOptions, makeKeys, type PlaneFiles } from '../objects/plane-keys.ts'
import { newDatabaseFiles } from '../database/database-files.ts'
import { prepareDatabase } from '../database/prepare-database.ts'
import { prepareSharedEtcd } from '../shared-etcd/prepare-shared-etcd.ts'
import { sharedEtcdCredentials } from '../shared-etcd/shared-etcd-credentials.ts'
import { collectionsOf, keeperObjects, planeObjects } from '../objects/plane-objects.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'

/** A certificate with more nodes is slow to send; such large hosts have a name for their nodes. */
const MOST_NODES = 100

export interface MakeOptions {
  place: PlacedName
  now: () => Date
  operation: Operation
  /** Already in creation, because these keys take by far the longest. */
  serviceAccountKeys: Promise<ServiceAccountKeys>
  /** Files of the same plane in another place, which are not created again. @default none */
  existing?: Record<string, string> | undefined
  /** @default the host is asked */
  answers?: HostAnswers | undefined
}

/**
 * Creates all objects of a plane from its record, or continues an interrupted creation: first the endpoint, then what
 * pods need, then the workloads. The caller holds the plane.
 *
 * @throws {VplaneError} `CONFLICT` when others manage a field that it writes or work on the plane, `FAILED` when the
 * host refuses an object or keys are lost.
 */
export async function makePlane(
  context: Pick<ChangeContext, 'databases' | 'diagnose' | 'host'>,
  journal: Journal,
  { answers, existing, now, operation, place, serviceAccountKeys }: MakeOptions,
): Promise<void> {
  const { diagnose, host } = context
  const { api } = host
  const { signal, ui } = operation
  if (journal.record.spec.host?.sync !== undefined && !journal.record.hasKeys) {
    await placeSynced(api, journal, { place, isMoved: existing !== undefined, signal })
  }
  const { hasKeys, spec } = journal.record
  const { endpoint } = planeObjects(place, journal.record, {})
  // Only with keys it may have come to where clients are led to the gateway.
  const isAsleep = keptOf(journal.record) === 'asleep'
  const [[service], { hostGivesIds, nodes }] = await Promise.all([
    hasKeys
      ? applyEndpoint(api, place, { endpoint, isAsleep, signal })
      : applyObjects(api, endpoint, signal),
    traitsOf(api, spec, { answers, signal }),
  ])
  const addresses = [...clusterAddressesOf(service), ...nodes]
  ui.step('Applying keys and configuration')
  const [keys] = await Promise.all([
    hasKeys
      ? storedKeys(api, place, signal)
      : makeNewKeys(api, place, {
          spec,
          now: now(),
          addresses,
          serviceAccountKeys,
          existing,
          signal,
        }),
    journal.step('applying keys and configuration', { hostGivesIds }),
  ])
  const renewal = { files: keys, record: journal.record, now: now(), signal }
  const files = { ...keys, ...(await sharedEtcdCredentials(api, place, renewal)) }
  const objects = planeObjects(place, journal.record, files)
  const { needed = [], settings = [] } = Object.groupBy(objects.needed, (one) =>
    isKeeperSettings(one) ? 'settings' : 'needed',
  )
  // With its settings, the keeper begins to work on the plane.
  let workloads = [...objects.workloads, ...settings]
  await applyObjects(api, await ownedByNamespace(api, needed, { ...place, signal }), signal)
  // From here on components may run with these keys: a continued creation must reuse them.
  await journal.step('applying the components', {
    hasKeys: true,
    ...(hasKeys ? {} : { serverAddresses: addresses }),
    collections: collectionsOf([...endpoint, ...needed, ...workloads]),
    ...certificateFields(files),
  })
  const changed = {
    ...(await prepareDatabase(context, journal.record, { place, files, operation })),
    ...(await prepareSharedEtcd(host, journal, { place, files, now, operation })),
  }
  if (Object.keys(changed).length > 0) {
    // The owner has corrected what an earlier try has stored, such as a wrong CA.
    const corrected = { ...files, ...changed }
    await applyKeys(api, { place, record: journal.record, files: corrected, signal })
    workloads = [...planeObjects(place, journal.record, corrected).workloads, ...settings]
  }
  const isToRun = journal.record.desired === 'running'
  ui.step(isToRun ? `Starting Kubernetes ${spec.version}` : 'Applying the components')
  if (journal.record.startsInOrder === true && isToRun) {
    await startInOrder({ diagnose, host, operation, place }, workloads)
  } else {
    await applyObjects(api, workloads, signal)
  }
  if (isKept(journal.record)) {
    const keeper = { objects: () => keeperObjects(place, journal.record), answers, signal }
    await raiseWanted(api, place, keeper)
  }
  if (isToRun) {
    await retryRefused(api, place, signal)
  }
  await journal.finish({ isComplete: true })
}

async function makeNewKeys(
  api: HostApi,
  place: PlacedName,
  { signal, ...options }: KeyOptions & { signal: AbortSignal },
): Promise<PlaneFiles> {
  const [keys, ofDatabase] = await Promise.all([
    makeKeys(place, options),
    newDatabaseFiles(api, place, { spec: options.spec, signal }),
  ])
  return { ...keys, ...ofDatabase }
}

interface KeeperOptions {
  objects: () => Manifest[]
  answers: HostAnswers | undefined
  signal: AbortSignal
}

/** Has the keeper of the namespace run as a plane wants it; not applied again for planes that want the same. */
async function raiseWanted(
  api: HostApi,
  { namespace }: PlacedName,
  { answers, objects, signal }: KeeperOptions,
): Promise<void> {
  const isApplied = answers?.hasKeeper === undefined || !(await answers.hasKeeper)
  const raising = raiseKeeper(api, namespace, { objects, isApplied, signal })
  if (answers !== undefined && isApplied) {
    answers.hasKeeper = raising.then(
      () => true,
      () => false,
    )
  }
  await raising
}

/** Asks the host once for planes that differ in their names alone. */
function traitsOf(
  api: HostApi,
  spec: PlaneSpec,
  { answers, signal }: { answers: HostAnswers | undefined; signal: AbortSignal },
): Promise<HostTraits> {
  const ask = async () => {
    const [hostGivesIds, nodes] = await Promise.all([
      doesHostGiveIds(api, signal),
      nodeAddresses(api, spec, signal),
    ])
    return { hostGivesIds, nodes }
  }
  if (answers === undefined) {
    return ask()
  }
  answers.traits ??= ask().catch((error: unknown) => {
    delete answers.traits
    throw error
  })
  return answers.traits
}

/** The components that those after them wait for. */
const GATED: readonly AnyComponentName[] = SERVING_NAMES

/** Creates each component when all pods of the one before it are ready; those that need more than the API at once. */
async function startInOrder(
  context: Pick<ChangeContext, 'diagnose' | 'host' | 'operation' | 'place'>,
  workloads: readonly Manifest[],
): Promise<void> {
  const { host, operation } = context
  const ofComponent = Map.groupBy(workloads, ({ metadata }) => metadata.labels[COMPONENT_LABEL])
  for (const component of ALL_COMPONENT_NAMES.filter((one) => ofComponent.has(one))) {
    operation.ui.step(`Starting ${component}`)
    await applyObjects(host.api, ofComponent.get(component) ?? [], operation.signal)
    if (GATED.includes(component)) {
      await waitUntilRolled(context, { component, what: `the pods of ${component}` })
    }
  }
}

/** Whether the host is OpenShift, which refuses pods that choose their own ids. */
async function doesHostGiveIds(api: HostApi, signal: AbortSignal): Promise<boolean> {
  const group = api.get('/apis/security.openshift.io', { signal })
  return (await unlessStatus([403], group)) !== undefined
}

/** For the certificate of a plane on a node port; none when the user may not read nodes. */
export async function nodeAddresses(
  api: Pick<HostApi, 'list'>,
  { host }: Pick<PlaneSpec, 'host'>,
  signal: AbortSignal,
): Promise<string[]> {
  if (host?.expose.type !== 'node-port') {
    return []
  }
  const nodes = await unlessRefused(api.list(collectionPath('nodes'), { signal }))
  return (nodes?.items ?? []).slice(0, MOST_NODES).flatMap(addressesIn)
}

function addressesIn(node: KubeObject): string[] {
  return recordsAt(node, 'status', 'addresses')
    .filter(({ type }) => type === 'InternalIP' || type === 'ExternalIP')
    .flatMap((one) => textAt(one, 'address') ?? [])
}
