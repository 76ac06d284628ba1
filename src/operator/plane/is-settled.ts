import type { Plane } from '../../control-plane/plane/plane.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { isPausedIn } from '../resource/control-plane-resource.ts'
import type { Changes } from '../seen/plane-objects.ts'

/** The generation of the spec that a plane has, and when that was compared with the objects on the host. */
export interface Settled {
  generation: unknown
  at: Date
  /** Those that were seen before. @default watches do not show all of them */
  changes?: Changes | undefined
}

/**
 * How long the objects of a plane may differ from its spec without a change of the spec, in milliseconds: so often they are
 * compared, unless watches show that none was changed.
 */
export const COMPARE_MS = 600_000

/** The same if only operations of vplane have changed objects since. */
const COMPARE_OWN_MS = 86_400_000

/** Whether a plane needs no comparison with its ControlPlane now. */
export function isSettled(
  settled: Settled | undefined,
  {
    changes,
    now,
    plane,
    resource,
  }: { plane: Plane | undefined; resource: KubeObject; changes: Changes | undefined; now: Date },
): boolean {
  const isPaused = plane?.desired === 'paused' && plane.idleSince === undefined
  const ageMs = now.getTime() - (settled?.at.getTime() ?? 0)
  const isUnchanged =
    changes !== undefined &&
    changes.others === settled?.changes?.others &&
    (changes.own === settled.changes.own || ageMs < COMPARE_OWN_MS)
  return (
    plane !== undefined &&
    settled !== undefined &&
    settled.generation === resource.metadata['generation'] &&
    (isUnchanged || ageMs < COMPARE_MS) &&
    plane.unfinished === undefined &&
    isPaused === isPausedIn(resource)
  )
}
