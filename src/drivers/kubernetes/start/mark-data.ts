import { COMPONENT_LABEL } from '../../../manifests/object-names.ts'
import { applyObjects } from '../create/apply-objects.ts'
import { planeObjects } from '../create/plane-objects.ts'
import type { HostApi } from '../host-api.ts'
import { type HoldPlaneOptions, tryHoldPlane } from './hold-plane.ts'

/**
 * Once etcd of a plane has stored something, tells its members so: from then on one with an empty volume refuses to start
 * instead of serving an empty plane. Left to the next look when somebody else works on the plane.
 */
export async function markData(
  api: HostApi,
  options: Omit<HoldPlaneOptions, 'operation'>,
  signal: AbortSignal,
): Promise<void> {
  const maintenance = { ...options, operation: 'maintain' } as const
  await using held = await tryHoldPlane({ api }, maintenance, signal)
  if (held === undefined || held.journal.record.hasData) {
    return
  }
  const { journal } = held
  await journal.step('telling etcd that it has data')
  const { needed } = planeObjects(options.place, { ...journal.record, hasData: true }, {})
  const configuration = needed.filter(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.labels[COMPONENT_LABEL] === 'etcd',
  )
  await applyObjects(api, configuration, signal)
  await journal.finish({ hasData: true })
}
