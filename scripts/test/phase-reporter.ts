import { writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'
import { type FileResult, type PhaseReport, REPORT } from './phase-report.ts'

/** Lines of a long difference that are shown: the expected value is first, the last output of a program is last. */
const [SHOWN_FIRST, SHOWN_LAST] = [8, 12]

/** Lines of a failure that are printed again after all phases. */
const REPEATED = 12

/**
 * Prints each failure when it happens, as the default reporter waits for the end of all files, and writes the report of
 * the phase to the file that the environment names.
 */
export default class PhaseReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { errors = [], state } = test.result()
    if (state === 'failed') {
      const reasons = errors.map(({ diff = '', message }) => `${message}\n${shortened(diff)}`)
      const said = stripVTControlCharacters(reasons.join('\n')).trimEnd()
      console.error(`\nFAILED ${nameOf(test)}\n${said}\n`)
    }
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const path = process.env[REPORT]
    if (path !== undefined) {
      writeFileSync(path, JSON.stringify(reportOf(modules)))
    }
  }
}

function reportOf(modules: readonly TestModule[]): PhaseReport {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const failed = tests.filter((test) => test.result().state === 'failed')
  // A file that cannot be loaded, or a hook that fails, which no test says.
  const broken = modules
    .flatMap((module) => [module, ...module.children.allSuites()])
    .filter((one) => one.errors().length > 0)
  const passed = tests.filter((test) => test.result().state === 'passed').length
  return {
    counts: {
      passed,
      failed: failed.length + broken.length,
      skipped: tests.length - passed - failed.length,
    },
    failures: [
      ...broken.map((one) => failureOf(one, one.errors())),
      ...failed.map((test) => failureOf(test, test.result().errors ?? [])),
    ],
    files: modules.map((module) => ({
      file: module.relativeModuleId,
      minutes: module.diagnostic().duration / 60_000,
      result: resultOf(module),
    })),
  }
}

function resultOf(module: TestModule): FileResult['result'] {
  const state = module.state()
  return state === 'passed' || state === 'skipped' ? state : 'failed'
}

function failureOf(
  one: TestCase | TestModule | TestSuite,
  errors: ReadonlyArray<{ message: string; stack?: string | undefined }>,
): string {
  const text = errors.map(({ message, stack }) => stack ?? message).join('\n')
  const lines = stripVTControlCharacters(text).trim().split('\n')
  return [nameOf(one), ...lines.slice(0, REPEATED).map((line) => `    ${line}`)].join('\n')
}

function nameOf(one: TestCase | TestModule | TestSuite): string {
  return one.type === 'module'
    ? one.relativeModuleId
    : `${one.module.relativeModuleId}: ${one.fullName}`
}

/** The default reporter prints all of it in the end. */
function shortened(text: string): string {
  const lines = text.split('\n')
  const left = lines.length - SHOWN_FIRST - SHOWN_LAST
  return left > 1
    ? [...lines.slice(0, SHOWN_FIRST), `… ${left} lines …`, ...lines.slice(-SHOWN_LAST)].join('\n')
    : text
}
