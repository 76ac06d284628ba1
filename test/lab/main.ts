import { hintTexts } from '../../src/cli/catalog/hint-text.ts'
import { messageOf, VplaneError } from '../../src/shared/errors.ts'
import { runLabCommand } from './run-lab-command.ts'
import { stderrUi } from '../support/cli/stderr-ui.ts'

const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interrupted.abort(new Error(name)))
}
try {
  const printed = await runLabCommand(process.argv.slice(2), {
    ui: stderrUi('lab'),
    signal: interrupted.signal,
  })
  process.stdout.write(printed)
} catch (error) {
  const hints = error instanceof VplaneError ? hintTexts(error.hints) : []
  process.stderr.write(`lab: ${messageOf(error)}\n${hints.map((hint) => `  ${hint}\n`).join('')}`)
  process.exitCode = error instanceof VplaneError ? error.exitCode : 1
}
