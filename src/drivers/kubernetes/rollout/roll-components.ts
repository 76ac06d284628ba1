import { type AnyComponentName, componentsOf } from '../../../control-plane/plane/plane.ts'
import { COMPONENT_LABEL } from '../../../manifests/object-names.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { planeObjects } from '../objects/plane-objects.ts'
import type { ChangeContext } from '../objects/change-context.ts'
import { clusterOf } from '../etcd/hosted-cluster.ts'
import { etcdObjects } from '../objects/etcd-objects.ts'
import { rollDeployment } from './roll-deployment.ts'
import { rollEtcd } from './roll-etcd.ts'

/**
 * Applies the workloads of a plane, and replaces outdated pods, one component after the other.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when a new pod cannot run, `TIMED_OUT`.
 */
export async function rollComponents(context: ChangeContext): Promise<void> {
  const { host, journal, operation } = context
  await applyObjects(host.api, [etcdObjects(context).statefulSet], operation.signal)
  await rollEtcd(context, clusterOf(context))
  for (const component of componentsOf(journal.record.spec).filter((one) => one !== 'etcd')) {
    await rollComponent(context, component)
  }
}

/** Does the same for one component that is a Deployment. */
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
