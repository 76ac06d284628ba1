import { isCreated, type Plane } from '../plane/plane.ts'

/** Where kube-apiserver reports that it is ready, and that its default objects exist. */
const READY = '/readyz'

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

/** Where the kube-apiserver of a plane reports that it is ready, by whether it was ready before. */
export function readyPath({ isRestart }: { isRestart: boolean }): string {
  return isRestart ? READY_AGAIN : READY
}

/** Whether a plane was ready before, unless its creation was interrupted. */
export function wasReady(plane: Pick<Plane, 'neverStarted' | 'unfinished'>): boolean {
  return plane.neverStarted !== true && isCreated(plane)
}
