import { type SpecChange, specsAfter } from '../../../control-plane/changes/changed-spec.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import { wakesForAny } from '../../../control-plane/plane/is-woken-by-any.ts'
import { stoppedByPause } from '../../../control-plane/plane/runs-while-paused.ts'
import { syncSwitch } from '../../../control-plane/changes/sync-switch.ts'
import type { SwitchOperation, SyncSteps } from '../../../control-plane/driver/sync-steps.ts'
import type { PlaneSpecs } from '../../../control-plane/spec/plane-specs.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { canStore } from '../../../control-plane/store/store.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { packageVersion } from '../../../shared/package-root.ts'
import type { KubernetesContext } from '../context/context.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { certificateFields } from '../objects/stored-keys.ts'
import { holdPlane } from '../record/hold-plane.ts'
import { retryRefused } from '../workloads/retry-refused.ts'
import { replicasOf, wantedReplicas, workloadPath } from '../observed/workloads.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { applyMembers } from '../etcd/members/apply-members.ts'
import type { ChangeContext } from '../objects/change-context.ts'
import type { HostApi } from '../host/host-api.ts'
import type { Journal } from '../record/journal.ts'
import type { PlacedName } from '../context/object-names.ts'
import { stopComponents } from '../workloads/stop-components.ts'
import { isKeeperSettings } from '../../../manifests/keeper-settings.ts'
import { applyEndpoint } from '../gateway/apply-endpoint.ts'
import { deleteSlices } from '../gateway/gateway-slices.ts'
import { endKeeper } from '../keeper/end-keeper.ts'
import { keptOf, mayBeKept } from '../keeper/is-kept.ts'
import { keeperObjects } from '../objects/plane-objects.ts'
import { raiseKeeper } from '../keeper/raise-keeper.ts'
import { retireOwnKeeper } from '../workloads/retire-own-keeper.ts'
import { setKept } from '../workloads/set-kept.ts'
import { removeCredentials } from '../objects/credential-secrets.ts'
import { withExtraRights } from '../preflight/rights/extra-rights.ts'
import {
  beginSwitch,
  planeOf,
  refuseSwitchWhilePaused,
  sharing,
  type Switch,
  unfinishedSwitch,
} from './switch-sync.ts'
import { removeSuperfluous } from './superfluous-objects.ts'
import { rollComponent, rollComponents, waitUntilRolled } from '../rollout/roll-components.ts'
import { wantedMembers } from '../etcd/members/planned-etcd.ts'
import { clusterOf } from '../etcd/hosted-etcd.ts'
import { reconcileMembers } from '../etcd/members/reconcile-members.ts'
import { wantedObjects } from './wanted-objects.ts'

/**
 * Stores another spec for a plane and changes its objects: first what pods need, then etcd, kube-apiserver,
 * kube-controller-manager and the syncer, and waits for each of them. Members of etcd are removed from kube-apiserver's
 * list before they are removed, and are added to it after they are added.
 *
 * @throws {VplaneError} as `specsAfter` does, `FAILED` when its creation, deletion, restore or repair was interrupted,
 * `COMPONENT_FAILED`, `TIMED_OUT`.
 */
export async function changePlane(
  context: Pick<KubernetesContext, 'host' | 'now' | 'diagnose'>,
  { name, namespace, record }: ReadableRecord,
  { change, operation }: { change: SpecChange; operation: SwitchOperation },
): Promise<ReadableRecord> {
  const place = { name, namespace }
  const options = { place, id: record.id, operation: 'change', now: context.now } as const
  await using held = await holdPlane(await context.host(), options, operation)
  const { journal } = held
  const specs = specsAfter(journal.record, change)
  refuseWhilePaused(journal.record, specs)
  const etcdMembers = replicasOf(journal.record, 'etcd')
  const { previousSpec = journal.record.spec } = journal.record
  const { api } = await context.host()
  const spec =
    syncSwitch(previousSpec, specs.spec) === 'on'
      ? await withExtraRights(api, { place, spec: specs.spec }, operation)
      : specs.spec
  await journal.step('changing the spec', {
    ...specs,
    spec,
    etcdMembers,
    previousSpec,
    ...sharing(journal.record, change),
  })
  await finishChange(context, journal, { place, operation })
  return journal.stored
}

/** Changes the objects of a held plane to the spec that is stored, from that of an interrupted change. */
export async function finishChange(
  { diagnose, host: openHost, now }: Pick<KubernetesContext, 'host' | 'now' | 'diagnose'>,
  journal: Journal,
  { operation, place }: { operation: SwitchOperation; place: PlacedName },
): Promise<void> {
  const host = await openHost()
  const { signal, ui } = operation
  const { previousSpec = journal.record.spec } = journal.record
  const to = unfinishedSwitch(journal.record)
  const switching = to && { to, steps: required(operation.steps) }
  const work = { host, journal, operation, place }
  await (switching && beginSwitch(work, switching))
  ui.step('Applying keys and configuration')
  const wantedOptions = { place, record: journal.record, now: now(), signal }
  const wanted = await wantedObjects(host.api, wantedOptions)
  const { collections, endpoint, files, needed } = wanted
  const { others = [], settings = [] } = Object.groupBy(needed, (one) =>
    isKeeperSettings(one) ? 'settings' : 'others',
  )
  await retireOwnKeeper(host.api, place, signal)
  const isAsleep = keptOf(journal.record) === 'asleep'
  await applyEndpoint(host.api, place, { endpoint, isAsleep, signal })
  if (journal.record.declaredBy === undefined && wakesForAny(previousSpec)) {
    // An operator that is uninstalled does not do this any more.
    await deleteSlices(host.api, place, signal)
  }
  await applyObjects(host.api, others, signal)
  const { collections: former = [] } = journal.record
  await journal.step('changing the components', {
    collections: [...new Set([...former, ...collections])].toSorted(),
    ...certificateFields(files),
  })
  const context = { diagnose, files, host, journal, now, operation, place }
  if (journal.record.desired === 'running') {
    await retryRefused(host.api, place, signal)
    await changeComponents(context, { previousSpec, switching })
  } else {
    await finishPause(host.api, journal, { place, operation })
    await applyObjects(host.api, wanted.workloads, signal)
  }
  // A field manager that wrote it would conflict with the apply.
  const kept = keptOf(journal.record)
  await setKept(host.api, place, { kept, signal })
  await applyObjects(host.api, settings, signal)
  if (kept !== 'false') {
    ui.step('Changing keeper')
    const objects = () => keeperObjects(place, journal.record)
    await raiseKeeper(host.api, place.namespace, { objects, isApplied: true, signal })
    await waitUntilRolled(context, { component: 'keeper', what: 'the pod of the keeper' })
  }
  await removeSuperfluous(context, previousSpec)
  await (mayBeKept(journal.record) && endKeeper(host.api, place.namespace, signal))
  await removeFormerCredentials(context, previousSpec)
  if (to === 'off') {
    await switching?.steps.clear(planeOf(work))
  }
  await journal.finish({
    etcdMembers: undefined,
    previousSpec: undefined,
    collections,
    madeBy: packageVersion(),
  })
}

/** Other namespaces may refuse it to the user. */
async function removeFormerCredentials(
  { host, journal, operation: { signal, ui }, place }: ChangeContext,
  { credentials: former }: PlaneSpec,
): Promise<void> {
  const { id, spec } = journal.record
  if (former !== undefined) {
    const options = { place, id, former, wanted: spec.credentials, signal }
    for (const { what, why } of await removeCredentials(host.api, options)) {
      ui.warn(`${what} was not deleted: ${why}`)
    }
  }
}

async function changeComponents(
  context: ChangeContext,
  { previousSpec, switching }: { previousSpec: PlaneSpec; switching: Switch | undefined },
): Promise<void> {
  const { journal } = context
  if (canStore(journal.record.spec, 'members')) {
    await changeMembers(context, previousSpec)
  }
  await rollComponents(context, async () => switching?.steps.prepare(planeOf(context)))
}

async function changeMembers(context: ChangeContext, previousSpec: PlaneSpec): Promise<void> {
  const { journal } = context
  const wanted = wantedMembers(journal.record)
  await applyMembers(context)
  if (replicasOf(journal.record, 'etcd') > wanted.count) {
    await rollComponent(context, 'kube-apiserver')
  }
  await journal.step('changing etcd')
  await reconcileMembers({ ...context, cluster: clusterOf(context) }, wanted)
  if (wanted.count > (previousSpec.host?.etcd.replicas ?? 1)) {
    // kube-apiserver knows only one member, whose pod is about to be replaced.
    await rollComponent(context, 'kube-apiserver')
  }
}

/** Every caller that may switch `sync` has them. */
function required(steps: SyncSteps | undefined): SyncSteps {
  if (steps === undefined) {
    throw new Error('a switch of "sync" needs the API of the plane')
  }
  return steps
}

/** Stops the components that an interrupted pause has left running. */
async function finishPause(
  api: HostApi,
  journal: Pick<Journal, 'record' | 'step'>,
  { operation, place }: { operation: Operation; place: PlacedName },
): Promise<void> {
  const { spec } = journal.record
  const components = stoppedByPause(spec).filter((one) => one !== 'keeper')
  const workloads = await Promise.all(
    components.map((one) => api.get(workloadPath(place, one), { signal: operation.signal })),
  )
  if (workloads.some((found) => found !== undefined && wantedReplicas(found) > 0)) {
    await stopComponents(api, journal, { place, components, operation })
  }
}

/** @throws {VplaneError} `FAILED` when a paused plane is to get another number of etcd members, or to switch `sync`. */
export function refuseWhilePaused(record: PlaneRecord, { spec }: PlaneSpecs): void {
  refuseSwitchWhilePaused(record, spec)
  const { desired, name } = record
  if (desired !== 'running' && replicasOf(record, 'etcd') !== (spec.host?.etcd.replicas ?? 1)) {
    throw new VplaneError(
      'FAILED',
      `"${name}" is paused: its etcd can get other members only while it runs`,
      { hints: [{ action: 'resume', plane: { name } }] },
    )
  }
}
