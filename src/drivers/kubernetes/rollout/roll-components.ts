import { type AnyComponentName, ownComponentsOf } from '../../../control-plane/plane/plane.ts'
import { canStore } from '../../../control-plane/store/store.ts'
import type { Manifest } from '../../../manifests/manifest.ts'
import { COMPONENT_LABEL } from '../../../manifests/object-names.ts'
import { applyMembers } from '../etcd/members/apply-members.ts'
import { wantedMembers } from '../etcd/members/planned-etcd.ts'
import { clusterOf } from '../etcd/hosted-etcd.ts'
import { reconcileMembers } from '../etcd/members/reconcile-members.ts'
import { applyObjects } from '../host/apply-objects.ts'
import type { ChangeContext } from '../objects/change-context.ts'
import { planeObjects } from '../objects/plane-objects.ts'
import { isRolled } from '../observed/is-rolled.ts'
import { workloadPath } from '../observed/workloads.ts'
import { scaleWorkload } from '../workloads/scale-workload.ts'
import { waitForComponent } from '../workloads/wait-for-component.ts'

/**
 * Applies the workloads of a plane, and replaces outdated pods, one component after the other. What the syncer needs in the
 * plane is prepared right before the syncer.
 * @throws {VplaneError} `COMPONENT_FAILED` when a new pod cannot run, `TIMED_OUT`.
 */
export async function rollComponents(
  context: ChangeContext,
  prepareSync?: () => Promise<void>,
): Promise<void> {
  const { spec } = context.journal.record
  if (canStore(spec, 'members')) {
    const members = wantedMembers(context.journal.record, { renews: true })
    await applyMembers(context)
    await reconcileMembers({ ...context, cluster: clusterOf(context) }, members)
  }
  for (const component of ownComponentsOf(spec).filter((one) => one !== 'etcd')) {
    if (component === 'syncer') {
      await prepareSync?.()
    }
    await rollComponent(context, component)
  }
}

/** Applies the workloads of one component, except those of etcd, and waits until all of their pods match them and are ready. */
export async function rollComponent(
  context: ChangeContext,
  component: AnyComponentName,
): Promise<void> {
  const { files, journal, place } = context
  const { workloads } = planeObjects(place, journal.record, files)
  for (const workload of workloads) {
    if (workload.metadata.labels[COMPONENT_LABEL] === component) {
      await rollDeployment(context, component, workload)
    }
  }
}

/** The old pods continue to run where they can when the new ones cannot. */
async function rollDeployment(
  context: ChangeContext,
  component: AnyComponentName,
  deployment: Manifest,
): Promise<void> {
  const { host, journal, operation, place } = context
  const { signal, ui } = operation
  ui.step(`Changing ${component}`)
  await journal.step(`changing ${component}`)
  // A field manager that scaled it would conflict with the apply.
  await scaleWorkload(host.api, journal.record, { place, component, signal })
  await applyObjects(host.api, [deployment], signal)
  await waitUntilRolled(context, { component, what: `the new pods of ${component}` })
}

/**
 * Waits until all pods of a workload are current and ready.
 * @throws {VplaneError} as `waitForComponent` does.
 */
export async function waitUntilRolled(
  context: Pick<ChangeContext, 'diagnose' | 'host' | 'operation' | 'place'>,
  waited: { component: AnyComponentName; what: string },
): Promise<void> {
  const path = workloadPath(context.place, waited.component)
  await waitForComponent(context, {
    ...waited,
    check: async (deadline) => {
      const found = await context.host.api.get(path, { signal: deadline })
      return found !== undefined && isRolled(found)
    },
  })
}
