import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import type { Manifest } from '../../../manifests/manifest.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { scaleWorkload } from '../workloads/scale-workload.ts'
import { workloadPath } from '../observed/workloads.ts'
import type { ChangeContext } from '../objects/change-context.ts'
import { isRolled } from '../observed/is-rolled.ts'
import { waitForComponent } from '../workloads/wait-for-component.ts'

/**
 * Applies a Deployment, and waits until all of its pods match it and are ready.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when the new pods cannot run; the old ones continue where they can.
 */
export async function rollDeployment(
  context: ChangeContext,
  component: AnyComponentName,
  deployment: Manifest,
): Promise<void> {
  const { host, journal, operation, place } = context
  const { signal, ui } = operation
  const path = workloadPath(place, component)
  ui.step(`Changing ${component}`)
  await journal.step(`changing ${component}`)
  // A field manager that scaled it would conflict with the apply.
  await scaleWorkload(host.api, journal.record, { place, component, signal })
  await applyObjects(host.api, [deployment], signal)
  await waitForComponent(context, {
    component,
    what: `the new pods of ${component}`,
    check: async (deadline) => {
      const found = await host.api.get(path, { signal: deadline })
      return found !== undefined && isRolled(found)
    },
  })
}
