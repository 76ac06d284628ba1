import type { PlanStep } from '../../../shared/plan-step.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { Driver } from '../../driver/driver.ts'
import { type AnyComponentName, componentsOf, type Plane } from '../../plane/plane.ts'
import { stoppedByPause } from '../../plane/runs-while-paused.ts'

/** Shows what would be done, and returns it. */
export function reportPlan(ui: Pick<Ui, 'plan'>, steps: PlanStep[]): PlanStep[] {
  ui.plan(steps, 'result')
  return steps
}

/** Describes what a pause of a plane does. */
export async function pauseSteps(
  driver: Driver,
  plane: Plane,
  { withSnapshot }: { withSnapshot: boolean },
): Promise<PlanStep[]> {
  const stopped = stoppedByPause(plane.spec)
  const isRunning = await areRunning(driver, plane, stopped)
  const running = stopped.filter((_, index) => isRunning[index])
  return [
    ...(withSnapshot ? [{ action: 'take-snapshot' } as const] : []),
    ...running.toReversed().map((component) => ({ action: 'stop-component', component }) as const),
  ]
}

/** Describes what a resume of a plane does. */
export async function resumeSteps(driver: Driver, plane: Plane): Promise<PlanStep[]> {
  const components = componentsOf(plane.spec)
  const isRunning = await areRunning(driver, plane, components)
  const isHalfChanged = plane.unfinished?.includes('change') === true
  return [
    ...components
      .filter((_, index) => !isRunning[index])
      .map((component) => ({ action: 'start-component', component }) as const),
    ...(isHalfChanged ? [{ action: 'continue-change' } as const] : []),
  ]
}

function areRunning(driver: Driver, plane: Plane, components: readonly AnyComponentName[]) {
  return Promise.all(components.map((component) => driver.isRunning(plane, [component])))
}
