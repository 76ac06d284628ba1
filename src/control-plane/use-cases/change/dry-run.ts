import type { Ui } from '../../../shared/ui.ts'
import { componentWords } from '../../plane/plane-words.ts'
import type { Driver } from '../../driver/driver.ts'
import { type AnyComponentName, componentsOf, type Plane } from '../../plane/plane.ts'
import { stoppedByPause } from '../../plane/runs-while-paused.ts'
import { stepLines } from './agree-to.ts'

/** Shows what would be done, and returns it. */
export function reportPlan(ui: Pick<Ui, 'print'>, steps: string[]): string[] {
  stepLines(steps).forEach((line) => ui.print(line))
  return steps
}

/** Describes what a pause of a plane does. */
export async function pauseSteps(
  driver: Driver,
  plane: Plane,
  { withSnapshot }: { withSnapshot: boolean },
): Promise<string[]> {
  const stopped = stoppedByPause(plane.spec)
  const isRunning = await areRunning(driver, plane, stopped)
  const running = stopped.filter((_, index) => isRunning[index])
  return [
    ...(withSnapshot ? ['take a snapshot of its data, and keep it on this machine'] : []),
    ...running.toReversed().map((component) => `stop ${componentWords(component)}`),
  ]
}

/** Describes what a resume of a plane does. */
export async function resumeSteps(driver: Driver, plane: Plane): Promise<string[]> {
  const components = componentsOf(plane.spec)
  const isRunning = await areRunning(driver, plane, components)
  const isHalfChanged = plane.unfinished?.includes('change') === true
  return [
    ...components
      .filter((_, index) => !isRunning[index])
      .map((component) => `start ${componentWords(component)}`),
    ...(isHalfChanged ? ['finish the interrupted change'] : []),
  ]
}

function areRunning(driver: Driver, plane: Plane, components: readonly AnyComponentName[]) {
  return Promise.all(components.map((component) => driver.isRunning(plane, [component])))
}
