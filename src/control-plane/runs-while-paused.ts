import { hasPassingMembers } from './needs-keeper.ts'
import type { AnyComponentName } from './plane.ts'
import type { PlaneSpec } from './spec.ts'

/**
 * Tells whether a component runs on while its plane rests: etcd of an ephemeral plane has the data in its pods, and where
 * there are several, the keeper gives them back what they lose.
 */
export function runsWhilePaused(
  spec: Pick<PlaneSpec, 'ephemeral' | 'host'>,
  component: AnyComponentName,
): boolean {
  return (
    (component === 'etcd' && spec.ephemeral) || (component === 'keeper' && hasPassingMembers(spec))
  )
}
