import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'
import type { Problem } from './problem.ts'

/** Why a component of a plane does not run, or not in full. */
export interface ComponentProblem extends Omit<
  Problem,
  'boundBy' | 'crash' | 'waitsFor' | 'isCrowded' | 'isRefused' | 'isTainted' | 'unfitSinceMs'
> {
  component: AnyComponentName
  /** What has the problem, by kind and name: `Pod "vplane-dev-etcd-0"`. */
  object: string
}
