import type { ChangePlan } from '../../../control-plane/changes/change-plan.ts'
import type { SpecChange } from '../../../control-plane/changes/changed-spec.ts'
import { specsAfter } from '../../../control-plane/changes/specs-after.ts'
import { COMPONENT_NAMES } from '../../../control-plane/plane/plane.ts'
import { isServerNamed } from '../certificates/server-certificate.ts'
import { runningComponents } from '../components/running-components.ts'
import type { StartContext } from '../components/start-context.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { staleComponents } from './stale-components.ts'

/**
 * What `changePlane` would do, in words; nothing when all is as the change says.
 *
 * @throws {VplaneError} as `specsAfter` does.
 */
export async function planChange(
  { store, table }: Pick<StartContext, 'store' | 'table'>,
  record: PlaneRecord,
  change: SpecChange,
): Promise<ChangePlan> {
  const wanted = { ...record, ...specsAfter(record, change) }
  const folder = store.folder(record.name)
  const stale = staleComponents(wanted, folder, table)
  const running = runningComponents(folder, table)
  const missing =
    record.desired === 'paused' ? [] : COMPONENT_NAMES.filter((name) => !running.has(name))
  const steps = [
    ...(!record.isBootstrapped || (await isServerNamed(wanted, folder))
      ? []
      : ['issue the certificate of its API anew']),
    ...COMPONENT_NAMES.flatMap((name) => [
      ...(stale.includes(name) ? [`restart ${name}`] : []),
      ...(missing.includes(name) ? [`start ${name}`] : []),
    ]),
  ]
  return { steps, objects: [] }
}
