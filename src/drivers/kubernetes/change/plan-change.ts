import { isDeepStrictEqual } from 'node:util'
import {
  type ChangePlan,
  type SpecChange,
  specsAfter,
} from '../../../control-plane/changes/changed-spec.ts'
import { type AnyComponentName, componentsOf } from '../../../control-plane/plane/plane.ts'
import type { PlanStep } from '../../../shared/plan-step.ts'
import { type Manifest, objectPathOf } from '../../../manifests/manifest.ts'
import { isRecord } from '../../../shared/json-fields.ts'
import { COMPONENT_LABEL } from '../../../manifests/object-names.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import type { HostApi } from '../host/host-api.ts'
import { refuseWithoutMonitors } from '../host/monitor-kind.ts'
import { replicasOf, wantedReplicas } from '../observed/workloads.ts'
import { type ObservedPlane, observePlane } from '../observed/observed-plane.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import type { ReadableRecord } from '../record/record-store.ts'
import { refuseWhilePaused } from './change-plane.ts'
import { stalePods } from '../observed/is-rolled.ts'
import { contentsOf, objectDifferences } from './object-differences.ts'
import { refuseDataLoss, refuseOperation } from '../record/hold-plane.ts'
import { superfluousObjects } from './superfluous-objects.ts'
import { wantedObjects } from './wanted-objects.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/**
 * Returns what `changePlane` would do; nothing when nothing would change. Sends each object to the host as a dry run.
 * @throws {VplaneError} when the change is refused, or keys are lost.
 */
export async function planChange(
  api: HostApi,
  { name, namespace, record }: ReadableRecord,
  { change, now, signal }: { change: SpecChange; now: Date; signal: AbortSignal },
): Promise<ChangePlan> {
  const specs = specsAfter(record, change)
  const place = { name, namespace }
  refuseOperation({ operation: 'change', place }, record)
  refuseWhilePaused(record, specs)
  const wanted = { ...record, ...specs, etcdMembers: undefined }
  const [objects, observed] = await Promise.all([
    wantedObjects(api, { place, record: wanted, now, signal }),
    observePlane(api, place, signal),
  ])
  const { endpoint, files, needed, workloads } = objects
  await refuseWithoutMonitors(api, needed, { signal })
  const { previousSpec = record.spec } = record
  const options = { place, record: wanted, previousSpec, files, signal }
  const superfluous = await superfluousObjects(api, options)
  const compare = async (object: Manifest) => {
    const path = objectPathOf(object)
    const [live, applied] = await Promise.all([
      api.get(path, { signal }),
      api.apply(path, object, { dryRun: true, force: true, signal }),
    ])
    return { object, live, applied }
  }
  const [others, components] = await Promise.all([
    Promise.all([...endpoint, ...needed].map(compare)),
    Promise.all(workloads.map(compare)),
  ])
  const isRunning = record.desired === 'running'
  const componentSteps = componentsOf(wanted.spec).flatMap((component) =>
    components
      .filter(({ object }) => object.metadata.labels[COMPONENT_LABEL] === component)
      .flatMap((compared) =>
        stepsOfComponent(component, { ...compared, isRunning, observed, record }),
      ),
  )
  if (
    componentSteps.some(
      ({ action, component }) => action === 'replace-pods' && component === 'etcd',
    )
  ) {
    refuseDataLoss(wanted, [
      {
        purpose: 'take a bundle, and restore it to a plane with the other spec',
        action: 'take-snapshot',
        plane: { name, namespace },
        bundle: true,
        output: 'FILE',
      },
    ])
  }
  const steps: PlanStep[] = [
    ...others.flatMap(stepOfObject),
    ...(isRunning
      ? stepsOfMembers(name, replicasOf(record, 'etcd'), replicasOf(wanted, 'etcd'))
      : []),
    ...componentSteps,
    ...superfluous.map((object) => ({
      action: 'delete-object' as const,
      kind: object.kind,
      name: object.name,
    })),
    ...(record.previousSpec === undefined ? [] : [{ action: 'continue-change' } as const]),
  ]
  return { steps, objects: [...others, ...components].flatMap(differencesOf) }
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

function templateOf({ spec }: KubeObject): unknown {
  return isRecord(spec) ? spec['template'] : undefined
}
