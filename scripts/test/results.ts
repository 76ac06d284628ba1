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

/** The table of all phases, and the line that everything ends with. */
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
  testResults?: Array<{ status: string; assertionResults: unknown[] }>
}
