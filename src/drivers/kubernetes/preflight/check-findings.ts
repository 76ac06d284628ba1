import type { Finding } from '../../../control-plane/status/finding.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'

/**
 * Shows the warnings of a preflight. `refusal` is the first line: what cannot be done.
 * @throws {VplaneError} `FAILED` with every problem, and what to do about each.
 */
export function checkFindings(
  findings: readonly Finding[],
  { refusal, ui }: { refusal: string; ui: Pick<Ui, 'warn'> },
): void {
  for (const { message } of findings.filter(({ level }) => level === 'warning')) {
    ui.warn(message)
  }
  const problems = findings.filter(({ level }) => level === 'problem')
  if (problems.length > 0) {
    const lines = problems.map(({ message, subject }) => `  ${subject}: ${message}`)
    throw new VplaneError('FAILED', `${refusal}\n${lines.join('\n')}`, {
      hints: problems.flatMap(({ hint = [] }) => hint),
    })
  }
}
