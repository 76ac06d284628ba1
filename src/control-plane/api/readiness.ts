import type { Plane } from '../plane/plane.ts'

/** Where kube-apiserver reports that it is ready, and that its default objects exist. */
export const READY = '/readyz'

/**
 * These hooks begin one second after kube-apiserver serves, and create the default objects of a new plane (k8s.io/kubernetes,
 * `wait.Poll` in `EnsureRBACPolicy` and `AddSystemPriorityClasses`).
 */
const HOOKS = [
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
]

/** Where kube-apiserver reports that it is ready, a second earlier: for a plane that has its default objects. */
export const READY_AGAIN = `${READY}?${HOOKS.map((hook) => `exclude=${hook}`).join('&')}`

/** Whether a plane was ready before, unless its creation was interrupted. */
export function wasReady({
  neverStarted,
  unfinished,
}: Pick<Plane, 'neverStarted' | 'unfinished'>): boolean {
  return neverStarted !== true && unfinished?.includes('creation') !== true
}
