import { join } from 'node:path'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { labContext } from '../../lab/lab-context.ts'
import { runCommand } from '../../lab/machine/run-command.ts'
import { ensureTool } from '../../lab/programs/ensure-parts.ts'
import { stderrUi } from '../cli/stderr-ui.ts'

/** The Helm chart of the operator, which the build has completed. */
export const CHART = join(packageRoot(), 'charts/vplane')

/** Runs helm and returns what it printed. */
export async function createHelm(): Promise<(...args: string[]) => Promise<string>> {
  const { signal } = new AbortController()
  const program = await ensureTool('helm', labContext(stderrUi('helm'), signal))
  return (...args) => runCommand(program, args, { signal })
}
