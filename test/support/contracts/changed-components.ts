import { isDeepStrictEqual } from 'node:util'
import type { PlanStep } from '../../../src/shared/plan-step.ts'
import { COMPONENT_NAMES, type ComponentName } from '../../../src/control-plane/plane/plane.ts'
import type { PlaneSpec } from '../../../src/control-plane/spec/spec.ts'

/** The fields of a spec that are of one component alone. */
const FIELDS = [
  ['etcd', 'etcd'],
  ['kube-apiserver', 'apiServer'],
  ['kube-controller-manager', 'controllerManager'],
] as const

/** The components that are other ones by another spec: all of them, unless only fields of their own differ. */
export function changedComponents(before: PlaneSpec, after: PlaneSpec): readonly ComponentName[] {
  const changed = FIELDS.filter(([, field]) => !isDeepStrictEqual(before[field], after[field]))
  const others = Object.fromEntries(FIELDS.map(([, field]) => [field, undefined]))
  const isRestSame = isDeepStrictEqual({ ...before, ...others }, { ...after, ...others })
  return isRestSame ? changed.map(([name]) => name) : COMPONENT_NAMES
}

/** What another spec does to components, as one step. */
export function restartOf(before: PlaneSpec, after: PlaneSpec): PlanStep {
  const components = changedComponents(before, after)
  const isSome = components.length > 0 && components.length < COMPONENT_NAMES.length
  const component = isSome ? components.join(', ') : 'everything'
  return { action: 'restart-component', component }
}
