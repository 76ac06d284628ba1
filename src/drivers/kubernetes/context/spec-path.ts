import { type AnyComponentName, SPEC_SECTION } from '../../../control-plane/plane/plane.ts'

/** The part of a spec that is about a component, as `--set` names it. */
export function specPathOf(component: AnyComponentName | undefined): string | undefined {
  return component === undefined ? undefined : SPEC_SECTION[component]
}
