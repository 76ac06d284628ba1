import type { Counts, FileResult, PhaseReport } from './phase-report.ts'

export interface PhaseResult extends PhaseReport {
  name: string
  isOk: boolean
  minutes: number
  /** Why it did not run. */
  obstacle?: string
}

/** What a phase reports that runs no tests. */
const NO_TESTS: PhaseReport = {
  counts: { passed: 0, failed: 0, skipped: 0 },
  failures: [],
  files: [],
}

/** How many of the slowest files are named. */
const SLOWEST = 10

/** A phase that cannot run on this machine: it counts for nothing, or as a failure where all phases have to run. */
export function notRun(
  name: string,
  obstacle: string,
  { hasToRun = false }: { hasToRun?: boolean } = {},
): PhaseResult {
  return { ...ran(name, { isOk: !hasToRun, minutes: 0 }), obstacle }
}

/** A phase that ran: one that failed without naming a test counts as one failure. */
export function ran(
  name: string,
  { isOk, minutes, report = NO_TESTS }: { isOk: boolean; minutes: number; report?: PhaseReport },
): PhaseResult {
  const { counts } = report
  const failed = isOk ? counts.failed : Math.max(1, counts.failed)
  return { name, isOk, minutes, ...report, counts: { ...counts, failed } }
}

/**
 * Failures, the time of each file, the table of all phases, and the last line.
 *
 * @param tables The phases of which all files are named. @default the ten slowest files of all phases
 */
export function formatResults(
  results: readonly PhaseResult[],
  tables: readonly string[] = [],
): string {
  const rows = results.map(({ isOk, minutes, name, obstacle }) =>
    obstacle === undefined
      ? row(name, isOk ? 'passed' : 'FAILED', minutes)
      : `${name.padEnd(16)} ${isOk ? '' : 'FAILED, '}not run: ${obstacle}`,
  )
  return [
    ...results.flatMap(({ failures }) => failures.map((failure) => `FAILED ${failure}\n`)),
    ...filesIn(results, tables),
    ...rows,
    row('all', '', minutesOf(results)),
    totalLine(results),
  ].join('\n')
}

/** How long phases took, together. */
export function minutesOf(results: readonly PhaseResult[]): number {
  return results.reduce((sum, { minutes }) => sum + minutes, 0)
}

function row(name: string, result: string, minutes: number): string {
  return `${name.padEnd(16)} ${result.padEnd(6)} ${minutes.toFixed(2).padStart(8)} min`
}

function filesIn(results: readonly PhaseResult[], tables: readonly string[]): string[] {
  const isMeant = ({ name }: PhaseResult) => tables.length === 0 || tables.includes(name)
  const files = results
    .filter(isMeant)
    .flatMap((one) => one.files)
    .toSorted((one, other) => other.minutes - one.minutes)
  const shown = tables.length === 0 ? files.slice(0, SLOWEST) : files
  const title = tables.length === 0 ? 'the slowest files' : `all files of ${tables.join(', ')}`
  return shown.length === 0 ? [] : [`${title}:`, ...shown.map(formatFile), '']
}

function formatFile({ file, minutes, result }: FileResult): string {
  return `${minutes.toFixed(2).padStart(7)} min  ${result === 'failed' ? 'FAILED' : result.padEnd(6)}  ${file}`
}

/** `12 passed, 0 failed`, with `, 3 skipped` when there are any. */
export function totalLine(results: readonly PhaseResult[]): string {
  const sum = (key: keyof Counts) => results.reduce((total, { counts }) => total + counts[key], 0)
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped}`
}
