import type { Plane } from '../../control-plane/plane/plane.ts'
import { numberAt } from '../../shared/json-fields.ts'
import { conditionOf, type KubeObject } from '../../shared/kube/kube-object.ts'
import { isPausedIn } from '../resource/control-plane-resource.ts'
import type { Changes } from '../seen/plane-objects.ts'

/** The generation of the spec that a plane has, and when that was compared with the objects on the host. */
export interface Settled {
  generation: unknown
  at: Date
  /** Those that were seen before. @default watches do not show all of them */
  changes?: Changes | undefined
  /** Another pod of the operator has compared them: what was changed since then and was not seen is unknown. */
  isAssumed?: boolean
}

/**
 * How long the objects of a plane may differ from its spec without a change of the spec, in milliseconds: so often they are
 * compared, unless watches show that none was changed.
 */
export const COMPARE_MS = 600_000

/** The same if only operations of vplane have changed objects since, or nothing shows whether those of a paused plane were changed. */
const RARELY_MS = 86_400_000

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
  if (plane === undefined || settled === undefined) {
    return false
  }
  const isPaused = plane.desired === 'paused' && plane.idleSince === undefined
  const limitMs = limitOf(settled, changes, plane.desired === 'paused')
  return (
    settled.generation === resource.metadata['generation'] &&
    now.getTime() - settled.at.getTime() < limitMs &&
    plane.unfinished === undefined &&
    isPaused === isPausedIn(resource)
  )
}

function limitOf(
  { changes: before, isAssumed }: Pick<Settled, 'changes' | 'isAssumed'>,
  changes: Changes | undefined,
  isPaused: boolean,
): number {
  const areSeen = before !== undefined && changes !== undefined
  if (areSeen && changes.others !== before.others) {
    return COMPARE_MS
  }
  if (!areSeen || isAssumed === true) {
    return isPaused ? RARELY_MS : COMPARE_MS
  }
  return changes.own === before.own ? Infinity : RARELY_MS
}

/**
 * What another pod of the operator found out: the generation of the spec that a plane has, and when that counts as
 * compared. Undefined when it had not finished. The times of planes differ, so that they are not all compared at once.
 */
export function settledBefore(
  resource: KubeObject,
  { changes, now }: { changes: Changes | undefined; now: Date },
): Settled | undefined {
  const ready = conditionOf(resource, 'Ready')
  const isPaused = ready?.['reason'] === 'Paused'
  const isDone = ready?.['status'] === 'True' || isPaused
  const isAtWork = conditionOf(resource, 'Progressing')?.['status'] !== 'False'
  const generation = numberAt(resource, 'status', 'observedGeneration')
  const spreadMs = isPaused ? RARELY_MS : COMPARE_MS
  return isDone && !isAtWork && generation !== undefined
    ? {
        generation,
        at: new Date(now.getTime() - Math.random() * spreadMs),
        changes,
        isAssumed: true,
      }
    : undefined
}
