import type { Reporter, TestCase } from 'vitest/node'

/** Says of each test that fails why it does, when it does: the default reporter waits for the end of all files. */
export default class FailureReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { errors = [], state } = test.result()
    if (state === 'failed') {
      const reasons = errors.map(({ message }) => message).join('\n')
      console.error(`\nFAILED ${test.module.relativeModuleId}: ${test.fullName}\n${reasons}\n`)
    }
  }
}
