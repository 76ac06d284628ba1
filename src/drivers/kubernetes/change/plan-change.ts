import { isDeepStrictEqual } from 'node:util'
import {
  type ChangePlan,
  type SpecChange,
  specsAfter,
} from '../../../control-plane/changes/changed-spec.ts'
import { type AnyComponentName, componentsOf } from '../../../control-plane/plane/plane.ts'
import { storeOf } from '../../../control-plane/store/store.ts'
import type { Hint } from '../../../shared/hint.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import { type Manifest, objectPathOf } from '../../../manifests/manifest.ts'
import { isRecord } from '../../../shared/json-fields.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import type { KubernetesContext } from '../context/context.ts'
import { withExtraRights } from '../preflight/rights/extra-rights.ts'
import { silentUi } from '../../../shared/ui.ts'
import { syncSwitch } from '../../../control-plane/changes/sync-switch.ts'
import { isShared } from '../context/object-names.ts'
import type { PlacedName } from '../context/object-names.ts'
import { componentOf } from '../host/workload.ts'
import { isKept } from '../keeper/is-kept.ts'
import { isAtGateway, whenAwake } from '../gateway/endpoint-switch.ts'
import { keeperObjects } from '../objects/plane-objects.ts'
import { checkSwitch, planEndpoint } from './plan-switch.ts'
import { sharing } from './switch-sync.ts'
import { refuseWithoutMonitors } from '../host/monitor-kind.ts'
import { replicasOf, wantedReplicas } from '../observed/workloads.ts'
import { type ObservedPlane, observePlane } from '../observed/observed-plane.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { refuseWhilePaused } from './change-plane.ts'
import { stalePods } from '../observed/is-rolled.ts'
import { contentsOf, objectDifferences } from './object-differences.ts'
import { refuseDataLoss, refuseOperation } from '../record/hold-plane.ts'
import { type SuperfluousObject, superfluousObjects } from './superfluous-objects.ts'
import { wantedObjects } from './wanted-objects.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/**
 * Returns what `changePlane` would do; nothing when nothing would change. Sends each object to the host as a dry run.
 * @throws {VplaneError} when the change is refused, or keys are lost.
 */
export async function planChange(
  context: Pick<KubernetesContext, 'host' | 'now' | 'preflight'>,
  { name, namespace, record }: ReadableRecord,
  { change, signal }: { change: SpecChange; signal: AbortSignal },
): Promise<ChangePlan> {
  const { api } = await context.host()
  const specs = specsAfter(record, change)
  const place = { name, namespace }
  refuseOperation({ operation: 'change', place }, record)
  refuseWhilePaused(record, specs)
  const { previousSpec = record.spec } = record
  const isSwitchedOn = syncSwitch(previousSpec, specs.spec) === 'on'
  const wanted = {
    ...record,
    ...specs,
    spec: isSwitchedOn
      ? await withExtraRights(api, { place, spec: specs.spec }, { signal, ui: silentUi })
      : specs.spec,
    etcdMembers: undefined,
    ...sharing(record, change),
  }
  const warnings = isSwitchedOn
    ? await checkSwitch(context, { place, record: wanted, previousSpec, signal })
    : []
  const [objects, observed, { apiAddress, steps: endpointSteps }] = await Promise.all([
    wantedObjects(api, { place, record: wanted, now: context.now(), signal }),
    observePlane(api, place, signal),
    isSwitchedOn ? planEndpoint(api, place, signal) : { apiAddress: undefined, steps: [] },
  ])
  const { endpoint, files, needed, workloads } = objects
  const keeper = isKept(wanted) ? keeperObjects(place, wanted) : []
  await refuseWithoutMonitors(api, [...needed, ...keeper], { signal })
  const options = { place, record: wanted, previousSpec, files, signal }
  const superfluous = await superfluousObjects(api, options)
  const compare = async (object: Manifest) => {
    const path = objectPathOf(object)
    const [live, applied] = await Promise.all([
      api.get(path, { signal }),
      api.apply(path, object, { dryRun: true, force: true, signal }),
    ])
    // What leads to a gateway while the plane sleeps is no difference.
    return live !== undefined && isAtGateway(live)
      ? { object, live: whenAwake(live), applied: whenAwake(applied) }
      : { object, live, applied }
  }
  const [others, components] = await Promise.all([
    Promise.all([...endpoint, ...needed].map(compare)),
    Promise.all([...workloads, ...keeper.filter(isWorkload)].map(compare)),
  ])
  const isRunning = record.desired === 'running'
  const componentSteps = componentsOf(wanted.spec).flatMap((component) =>
    components
      .filter(({ object }) => componentOf(object) === component)
      .flatMap((compared) =>
        stepsOfComponent(component, { ...compared, isRunning, observed, record }),
      ),
  )
  const store = storeOf(wanted.spec)
  if (
    componentSteps.some(
      ({ action, component }) => action === 'replace-pods' && component === store.component,
    )
  ) {
    refuseDataLoss(wanted, instead(wanted.spec, { name, namespace }))
  }
  const steps: PlanStep[] = [
    ...endpointSteps,
    ...others.flatMap(stepOfObject),
    ...(isRunning
      ? stepsOfMembers(name, replicasOf(record, 'etcd'), replicasOf(wanted, 'etcd'))
      : []),
    ...componentSteps,
    ...stepsOfSuperfluous(superfluous, { isSwitchedOff: specs.spec.host?.sync === undefined }),
    ...(record.previousSpec === undefined ? [] : [{ action: 'continue-change' } as const]),
  ]
  const own = components.filter(({ object }) => !isShared(object))
  const differences = [...others, ...own].flatMap(differencesOf)
  return { steps, warnings, objects: differences, ...(apiAddress && { apiAddress }) }
}

/** What to do instead of a change that would lose the data. A restore would replace the pod of kine, too. */
function instead(spec: Parameters<typeof storeOf>[0], plane: PlacedName): Hint[] {
  return storeOf(spec).component === 'etcd'
    ? [
        {
          purpose: 'take a bundle, and restore it to a plane with the other spec',
          action: 'take-snapshot',
          plane,
          bundle: true,
          output: 'FILE',
        },
      ]
    : ['create another plane with it, and copy the objects with kubectl']
}

/** Those of its syncer are counted where all of them go, as there may be hundreds. */
function stepsOfSuperfluous(
  objects: readonly SuperfluousObject[],
  { isSwitchedOff }: { isSwitchedOff: boolean },
): PlanStep[] {
  const { counted = [], named = [] } = Object.groupBy(objects, ({ isSynced }) =>
    isSynced && isSwitchedOff ? 'counted' : 'named',
  )
  return [
    ...named.map(({ kind, name }) => ({ action: 'delete-object' as const, kind, name })),
    ...(counted.length === 0 ? [] : [{ action: 'delete-synced', count: counted.length } as const]),
  ]
}

interface Compared {
  object: Manifest
  live: KubeObject | undefined
  applied: KubeObject
}

function stepOfObject({ applied, live, object }: Compared): PlanStep[] {
  const what = { kind: object.kind, name: object.metadata.name }
  if (live === undefined) {
    return [{ action: 'create-object', ...what }]
  }
  const isSame = isDeepStrictEqual(contentsOf(live), contentsOf(applied))
  return isSame ? [] : [{ action: 'change-object', ...what }]
}

function differencesOf({ applied, live, object }: Compared): string[] {
  const lines = live === undefined ? [] : objectDifferences(live, applied)
  const title = `${object.kind} "${object.metadata.name}"`
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
}

function stepsOfMembers(plane: string, from: number, to: number): PlanStep[] {
  const ordinals = Array.from({ length: Math.abs(to - from) }, (_, index) =>
    to > from ? from + index : from - 1 - index,
  )
  return ordinals
    .map((ordinal) => memberName(plane, ordinal))
    .map((member) =>
      to > from
        ? { action: 'add-member', member }
        : { action: 'remove-member', member, withVolume: true },
    )
}

/** A step that a component takes in a change. */
type ComponentStep = Extract<PlanStep, { component: string }>

function stepsOfComponent(
  component: AnyComponentName,
  {
    applied,
    isRunning,
    live,
    observed,
    record,
  }: Compared & { isRunning: boolean; observed: ObservedPlane; record: PlaneRecord },
): ComponentStep[] {
  if (live === undefined) {
    return [{ action: 'create-component', component }]
  }
  const [from, to] = [wantedReplicas(live), wantedReplicas(applied)]
  const isStale = !isDeepStrictEqual(templateOf(live), templateOf(applied))
  const stale = stalePods(live, observed.pods(component), record.restoredPods)
  const isHalfDone = component === 'etcd' && stale.length > 0
  const isScaled = from !== to && component !== 'etcd'
  return [
    ...(isScaled ? [{ action: 'scale-component', component, from, to } as const] : []),
    ...(isRunning && (isStale || isHalfDone)
      ? [{ action: 'replace-pods', component } as const]
      : []),
    ...(!isRunning && isStale ? [{ action: 'change-paused-component', component } as const] : []),
  ]
}

function isWorkload({ kind }: Manifest): boolean {
  return kind === 'Deployment'
}

function templateOf({ spec }: KubeObject): unknown {
  return isRecord(spec) ? spec['template'] : undefined
}
