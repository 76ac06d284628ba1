import type { PlaneSpec } from '../spec/spec.ts'
import { wakesForAny } from './is-woken-by-any.ts'
import { runsWhilePaused } from './runs-while-paused.ts'

/** Whether a plane in a host namespace needs the keeper there now: for its duties, or only to be woken. */
export type Kept = 'asleep' | 'false' | 'true'

/** Whether a plane that has a keeper needs it now. */
export function keptOf({
  desired,
  isAsleep = false,
  neverStarted = false,
  spec,
}: {
  desired: string
  /** It has paused itself. @default false */
  isAsleep?: boolean | undefined
  /** It was created paused. @default false */
  neverStarted?: boolean | undefined
  spec: PlaneSpec
}): Kept {
  if (desired === 'running' || (!neverStarted && runsWhilePaused(spec, 'keeper'))) {
    return 'true'
  }
  return (isAsleep || neverStarted) && wakesForAny(spec) ? 'asleep' : 'false'
}
