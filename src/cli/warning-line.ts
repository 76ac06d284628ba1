import { styleText } from 'node:util'
import { canColor, type Terminal } from './terminal.ts'

/** A warning as people see it. */
export function warningLine(
  text: string,
  { environment, stderr }: Pick<Terminal, 'environment' | 'stderr'>,
): string {
  const word = 'warning:'
  const painted = canColor(stderr, environment)
    ? styleText('yellow', word, { validateStream: false })
    : word
  return `${painted} ${text}`
}
