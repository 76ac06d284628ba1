import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

export interface PhaseResult {
  name: string
  isOk: boolean
  minutes: number
  counts: Counts
  /** What failed, a text for each test: its file and name, then the beginning of what it says. @default nothing */
  failures?: readonly string[]
  /** Why it did not run. */
  obstacle?: string
}

const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 }

/** What a phase counts for that cannot run on this machine: nothing. */
export function notRun(name: string, obstacle: string): PhaseResult {
  return { name, isOk: true, minutes: 0, counts: NOTHING, obstacle }
}

/** What a phase counts for: its tests, and at least one failure when it failed without naming a test. */
export function countsOf(isOk: boolean, report: string | undefined): Counts {
  const counts = report === undefined ? NOTHING : readReport(report)
  return isOk || counts.failed > 0 ? counts : { ...counts, failed: 1 }
}

/** Lines of a failed test's message that are said once more at the end. */
const MESSAGE_LINES = 12

/** What failed, for the end of everything: there it is found by those who see only the last lines. */
export function failuresOf(report: string | undefined): string[] {
  const { testResults = [] }: VitestReport = report === undefined ? {} : JSON.parse(report)
  return testResults.flatMap(({ name = '', status, message = '', assertionResults }) => {
    const file = relative(process.cwd(), name)
    return status === 'failed' && assertionResults.length === 0
      ? [formatFailure(file, [message])]
      : assertionResults
          .filter((test) => test.status === 'failed')
          .map(({ fullName, failureMessages = [] }) =>
            formatFailure(`${file}: ${fullName}`, failureMessages),
          )
  })
}

function formatFailure(title: string, messages: readonly string[]): string {
  const lines = stripVTControlCharacters(messages.join('\n')).trim().split('\n')
  return [title, ...lines.slice(0, MESSAGE_LINES).map((line) => `    ${line}`)].join('\n')
}

/** What failed, the table of all phases, and the line that everything ends with. */
export function formatResults(results: readonly PhaseResult[]): string {
  const rows = results.map(
    ({ isOk, minutes, name, obstacle }) =>
      `${name.padEnd(12)} ${
        obstacle === undefined
          ? `${isOk ? 'passed' : 'FAILED'} ${minutes.toFixed(2).padStart(8)} min`
          : `not run: ${obstacle}`
      }`,
  )
  const total = results.reduce((sum, { minutes }) => sum + minutes, 0)
  return [
    ...results.flatMap(({ failures = [] }) => failures.map((failure) => `FAILED ${failure}\n`)),
    ...rows,
    `${'all'.padEnd(19)} ${total.toFixed(2).padStart(8)} min`,
    totalLine(results),
  ].join('\n')
}

/** `12 passed, 0 failed`, with `, 3 skipped` when there are any. */
export function totalLine(results: readonly PhaseResult[]): string {
  const sum = (key: keyof Counts) => results.reduce((total, { counts }) => total + counts[key], 0)
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped}`
}

/** Reads what vitest's JSON reporter wrote; a file that could not be loaded is one failure. */
function readReport(report: string): Counts {
  const {
    numPassedTests = 0,
    numFailedTests = 0,
    numPendingTests = 0,
    numTodoTests = 0,
    testResults = [],
  }: VitestReport = JSON.parse(report)
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  return {
    passed: numPassedTests,
    failed: numFailedTests + broken.length,
    skipped: numPendingTests + numTodoTests,
  }
}

interface VitestReport {
  numPassedTests?: number
  numFailedTests?: number
  numPendingTests?: number
  numTodoTests?: number
  testResults?: Array<{
    /** The file, as an absolute path. */
    name?: string
    status: string
    /** Why a file could not be loaded. */
    message?: string
    assertionResults: Array<{ status: string; fullName?: string; failureMessages?: string[] }>
  }>
}
