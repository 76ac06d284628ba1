import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase } from 'vitest/node'

/** Lines of a long difference that are shown: what was expected comes first, what a program said last comes last. */
const [SHOWN_FIRST, SHOWN_LAST] = [8, 12]

/** Says of each test that fails why it does, when it does: the default reporter waits for the end of all files. */
export default class FailureReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { errors = [], state } = test.result()
    if (state === 'failed') {
      const reasons = errors.map(({ diff = '', message }) => `${message}\n${shortened(diff)}`)
      const said = stripVTControlCharacters(reasons.join('\n')).trimEnd()
      console.error(`\nFAILED ${test.module.relativeModuleId}: ${test.fullName}\n${said}\n`)
    }
  }
}

/** The default reporter prints all of it in the end. */
function shortened(text: string): string {
  const lines = text.split('\n')
  const left = lines.length - SHOWN_FIRST - SHOWN_LAST
  return left > 1
    ? [...lines.slice(0, SHOWN_FIRST), `… ${left} lines …`, ...lines.slice(-SHOWN_LAST)].join('\n')
    : text
}
