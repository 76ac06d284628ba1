import type { ActionHint } from '../../shared/hint.ts'
import type { PlanStep } from '../../shared/plan-step.ts'
import { silentUi, type Ui } from '../../shared/ui.ts'
import { stepLines } from '../catalog/step-text.ts'

/** The ui of one of several planes that are worked on at once. */
export interface PlaneUi extends Ui {
  /** The lines of its result, for later: those of several planes would mix. */
  readonly lines: string[]
}

/** A ui that shows only warnings, with the plane in front, and keeps the lines of the result. */
export function planeUi(ui: Pick<Ui, 'warn'>, plane: string): PlaneUi {
  const lines: string[] = []
  return {
    ...silentUi,
    lines,
    warn: (text: string, hint?: ActionHint) => ui.warn(`${plane}: ${text}`, hint),
    print: (line: string) => void lines.push(line),
    plan: (steps: readonly PlanStep[], as: 'note' | 'result') => {
      if (as === 'result') {
        lines.push(...stepLines(steps))
      }
    },
  }
}
