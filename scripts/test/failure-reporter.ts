import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase } from 'vitest/node'

/** Says of each test that fails why it does, when it does: the default reporter waits for the end of all files. */
export default class FailureReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { errors = [], state } = test.result()
    if (state === 'failed') {
      const reasons = errors.map(({ diff = '', message }) => `${message}\n${diff}`.trimEnd())
      const said = stripVTControlCharacters(reasons.join('\n'))
      console.error(`\nFAILED ${test.module.relativeModuleId}: ${test.fullName}\n${said}\n`)
    }
  }
}
