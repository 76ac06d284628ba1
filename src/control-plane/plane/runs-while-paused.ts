import { hasEphemeralMembers } from '../spec/needs-keeper.ts'
import { type AnyComponentName, componentsOf } from './plane.ts'
import type { PlaneSpec } from '../spec/spec.ts'

/** The components that a pause of their plane stops. */
export function stoppedByPause(spec: PlaneSpec): AnyComponentName[] {
  return componentsOf(spec).filter((component) => !runsWhilePaused(spec, component))
}

/**
 * Tells whether a component runs on while its plane rests: etcd of an ephemeral plane has the data in its pods, and where
 * there are several, the keeper gives them back what they lose.
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
