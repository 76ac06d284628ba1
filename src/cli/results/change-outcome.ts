import type { PlanStep } from '../../shared/plan-step.ts'
import type { ChangeResult } from '../../control-plane/use-cases/change/change-control-plane.ts'
import { type PlaceResult, toPlaceResult } from './place-result.ts'

/** What was done to a plane, in `--json` results: part of the contract in schemas/. */
export interface ChangeOutcome extends PlaceResult {
  name: string
  /** False when there was nothing to do, and with --dry-run. */
  changed: boolean
  /** What differs in the spec: `+ apiServer.extraArgs.v: "4"`. */
  differences: string[]
  /** What was done, or would be, in its order. */
  steps: PlanStep[]
}

/** Says what became of a plane, and returns it for `--json`. */
export function reportChange(result: ChangeResult, say: (sentence: string) => void): ChangeOutcome {
  say(changeSentence(result))
  return toChangeOutcome(result)
}

/** What became of a plane, in one sentence. */
function changeSentence({ differences, isChanged, plane, steps }: ChangeResult): string {
  if (isChanged) {
    return plane.desired === 'running'
      ? `Changed "${plane.name}"; it is ready.`
      : `Changed "${plane.name}", which is paused.`
  }
  return differences.length + steps.length === 0
    ? `"${plane.name}" is already up to date.`
    : `Nothing was changed.`
}

/** A change as `--json` shows it. */
function toChangeOutcome(result: ChangeResult): ChangeOutcome {
  const { differences, isChanged, plane, steps } = result
  return { name: plane.name, ...toPlaceResult(plane), changed: isChanged, differences, steps }
}
