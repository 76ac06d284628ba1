import type { ComponentName } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import { lastWords } from '../logs/last-words.ts'

const LINES = 8

/** The error for a component that has ended, with the last lines it wrote. */
export async function componentFailure(
  plane: string,
  component: ComponentName,
  log: string,
): Promise<VplaneError> {
  const lines = await lastWords(log, LINES)
  const said =
    lines.length === 0
      ? 'it wrote nothing'
      : `its last lines:\n${lines.map((line) => `  ${line}`).join('\n')}`
  return new VplaneError('COMPONENT_FAILED', `${component} of "${plane}" has ended; ${said}`, {
    hints: [`vplane logs ${plane} ${component}`, 'vplane doctor'],
  })
}
