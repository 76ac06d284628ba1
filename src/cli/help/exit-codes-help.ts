import { EXIT_CODES } from '../../shared/errors.ts'
import { twoColumns } from './help-layout.ts'

const MEANINGS: ReadonlyArray<readonly [number, string]> = [
  [0, 'Success.'],
  [1, 'A bug in vplane.'],
  [2, 'The command line, a name, a spec or a setting is invalid.'],
  [3, 'The plane or object does not exist.'],
  [4, 'It already exists with another spec, or changed in the meantime.'],
  [5, 'An API server cannot be reached.'],
  [6, 'The operation took longer than --timeout.'],
  [7, 'The operation failed, or something needs attention.'],
  [125, 'run and connect --: vplane failed before the command started.'],
  [126, 'run and connect --: the command cannot be executed.'],
  [127, 'run and connect --: the command does not exist.'],
  [130, 'Interrupted by Ctrl-C, or the answer was no (143: SIGTERM).'],
]

export interface ExitCode {
  status: number
  meaning: string
  /** The values of `code` that `--json` shows for it. */
  codes: string[]
}

/** Every exit code, in the order it is shown. */
export function exitCodes(): ExitCode[] {
  return MEANINGS.map(([status, meaning]) => ({ status, meaning, codes: codesOf(status) }))
}

/** The table of exit codes, with the `code` that `--json` shows for each. */
export function renderExitCodes(width: number): string {
  const rows = exitCodes().map(
    ({ status, meaning, codes }) =>
      [String(status), codes.length === 0 ? meaning : `${meaning}\n${codes.join(', ')}`] as const,
  )
  return `${['Exit codes', ...twoColumns(rows, { width })].join('\n')}\n`
}

function codesOf(status: number): string[] {
  return Object.entries(EXIT_CODES).flatMap(([code, exitCode]) =>
    exitCode === status ? [code] : [],
  )
}
