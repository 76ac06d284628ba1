import type { Ui } from '../../../shared/ui.ts'
import { componentWords } from '../../plane/component-words.ts'
import type { Driver } from '../../driver/driver.ts'
import { componentsOf, type Plane } from '../../plane/plane.ts'
import { stoppedByPause } from '../../plane/runs-while-paused.ts'
import { numbered } from './agree-to.ts'

/** Steps as a proposal shows them. */
export function stepLines(steps: readonly string[]): string[] {
  return steps.length === 0
    ? ['There is nothing to do.']
    : ['Will be done:', ...numbered(steps).map((step) => `  ${step}`)]
}

/** Says what would be done, and returns it. */
export function reportPlan(ui: Pick<Ui, 'note'>, steps: string[]): string[] {
  stepLines(steps).forEach((line) => ui.note(line))
  return steps
}

/** What a pause of a plane does, in words. */
export async function pauseSteps(
  driver: Driver,
  plane: Plane,
  { withSnapshot }: { withSnapshot: boolean },
): Promise<string[]> {
  const { spec } = plane
  const stopped = stoppedByPause(spec)
  const isRunning = await Promise.all(
    stopped.map((component) => driver.isRunning(plane, [component])),
  )
  const running = stopped.filter((_, index) => isRunning[index])
  return [
    ...(withSnapshot ? ['take a snapshot of its data, and keep it on this machine'] : []),
    ...running.toReversed().map((component) => `stop ${componentWords(component)}`),
  ]
}

/** What a resume of a plane does, in words. */
export async function resumeSteps(driver: Driver, plane: Plane): Promise<string[]> {
  const components = componentsOf(plane.spec)
  const isRunning = await Promise.all(
    components.map((component) => driver.isRunning(plane, [component])),
  )
  return components
    .filter((_, index) => !isRunning[index])
    .map((component) => `start ${componentWords(component)}`)
}
