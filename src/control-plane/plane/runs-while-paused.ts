import { hasEphemeralMembers } from '../spec/needs-keeper.ts'
import { type AnyComponentName, componentsOf } from './plane.ts'
import type { PlaneSpec } from '../spec/spec.ts'

/** The components that a pause stops. */
export function stoppedByPause(spec: PlaneSpec): AnyComponentName[] {
  return componentsOf(spec).filter((component) => !runsWhilePaused(spec, component))
}

/**
 * Whether a component keeps running during a pause: etcd of an ephemeral plane has its data in its pods, and if it has
 * several members, the keeper restores the data of a new pod.
 */
export function runsWhilePaused(
  spec: Pick<PlaneSpec, 'ephemeral' | 'host'>,
  component: AnyComponentName,
): boolean {
  return (
    (component === 'etcd' && spec.ephemeral) ||
    (component === 'keeper' && hasEphemeralMembers(spec))
  )
}
