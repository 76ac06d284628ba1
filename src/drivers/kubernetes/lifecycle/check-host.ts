import type { Finding } from '../../../control-plane/status/finding.ts'
import type { Ui } from '../../../shared/ui.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { PlacedName } from '../context/object-names.ts'

/**
 * Shows the warnings of a preflight check, and fails with its problems.
 *
 * @throws {VplaneError} `FAILED` with every problem, and what to do about each.
 */
export function checkHost(
  { name, namespace }: PlacedName,
  findings: readonly Finding[],
  ui: Pick<Ui, 'warn'>,
): void {
  for (const { message } of findings.filter(({ level }) => level === 'warning')) {
    ui.warn(message)
  }
  const problems = findings.filter(({ level }) => level === 'problem')
  if (problems.length > 0) {
    const lines = problems.map(({ message, subject }) => `  ${subject}: ${message}`)
    throw new VplaneError(
      'FAILED',
      `"${name}" cannot be created in namespace "${namespace}", nothing was changed:\n${lines.join('\n')}`,
      { hints: problems.flatMap(({ hint = [] }) => hint) },
    )
  }
}
