/** What a phase of vitest says of its tests. */
export interface PhaseReport {
  counts: Counts
  /** What failed, a text for each test or file: where, then the beginning of what it says. */
  failures: readonly string[]
  files: readonly FileResult[]
}

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

export interface FileResult {
  /** Its path in the repository. */
  file: string
  /** All its tests and hooks. */
  minutes: number
  result: 'passed' | 'failed' | 'skipped'
}

/** The variable that names the file for the report. */
export const REPORT = 'VPLANE_PHASE_REPORT'
