import type { ChangePlan } from '../../changes/change-plan.ts'
import type { SpecChange } from '../../changes/changed-spec.ts'
import { EMULATING } from '../../components/arguments/emulated-version.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Plane } from '../../plane/plane.ts'
import { specsOf } from '../../spec/plane-specs.ts'
import { upgradeWords } from './upgrade-words.ts'

interface PlannedUpgrade {
  driver: Driver
  plane: Plane
  stages: readonly SpecChange[]
  signal: AbortSignal
}

/**
 * What the stages of an upgrade would do, in their order: `Kubernetes 1.36.3 as 1.35.4: restart kube-apiserver`. What runs as
 * the version before is replaced once more to run as itself. An upgrade of one stage alone needs no such words.
 *
 * @throws {VplaneError} as the driver's `plan` does.
 */
export async function upgradeSteps({
  driver,
  plane,
  signal,
  stages,
}: PlannedUpgrade): Promise<ChangePlan> {
  const planned: string[] = []
  const steps: string[] = []
  let objects: string[] = []
  let before = specsOf(plane)
  for (const stage of stages) {
    const plan = await driver.plan(plane, { ...stage, from: specsOf(plane) }, signal)
    const { steps: lines } = plan
    objects = plan.objects
    const isAsItself =
      before.spec.upgradingFrom !== undefined && stage.spec.upgradingFrom === undefined
    const own = lines.filter((line) => !planned.includes(line) || (isAsItself && isReplacing(line)))
    const words = upgradeWords(stage, before)
    steps.push(...(stages.length === 1 ? own : own.map((line) => `${words}: ${line}`)))
    planned.push(...lines)
    before = specsOf(stage)
  }
  return { steps, objects }
}

/** Whether a step starts anew what has behaved as the version before. */
function isReplacing(line: string): boolean {
  return /^(replace|restart) /.test(line) && EMULATING.some((component) => line.includes(component))
}
