import { paint, type Terminal } from './terminal.ts'

/** A warning as people see it. */
export function warningLine(
  text: string,
  terminal: Pick<Terminal, 'environment' | 'stderr'>,
): string {
  return `${paint('yellow', 'warning:', terminal)} ${text}`
}
