import type { ComponentProblem } from '../../../src/drivers/kubernetes/context/problem.ts'

/** Why a component of the plane `dev` can never run; `fields` replaces some of it. */
export function problemOf(
  component: ComponentProblem['component'],
  fields: Partial<ComponentProblem> = {},
): ComponentProblem {
  return {
    component,
    object: `Pod "vplane-dev-${component}-0"`,
    state: 'ErrImagePull',
    reason: 'its image cannot be had',
    hints: [],
    final: true,
    ...fields,
  }
}
