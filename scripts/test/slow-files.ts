import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The slow tests run in this many parts: each run of CI takes one. */
export const SLICES = 10

/** What a file counts for that nobody has measured. */
const UNKNOWN_MINUTES = 1

/** Where it is written how long files of tests take. */
export const MINUTES_FILE = 'test/minutes.json'

/** Minutes by file. Files that take longer start first, and slices are as long as each other. */
export function knownMinutes(root: string): Record<string, number> {
  return JSON.parse(readFileSync(join(root, MINUTES_FILE), 'utf8'))
}

/** The files of tests that `npm test` leaves out: `*.slow-lab.ts` and `*.slow-integration.ts`. */
export function slowFiles(root: string): string[] {
  return globSync('test/**/*.slow-{integration,lab}.ts', { cwd: root }).toSorted()
}

/** Divides files into slices of about the same length: the longest file first, each to the slice that is shortest with it. */
export function sliced(
  files: readonly string[],
  minutes: Readonly<Record<string, number>>,
): string[][] {
  const slices = Array.from({ length: SLICES }, (): string[] => [])
  const lengthOf = (file: string) => minutes[file] ?? UNKNOWN_MINUTES
  for (const file of files.toSorted((one, other) => lengthOf(other) - lengthOf(one))) {
    const lengthWith = (slice: string[]) => minutesOf([...slice, file], minutes)
    const [shortest] = slices.toSorted((one, other) => lengthWith(one) - lengthWith(other))
    shortest?.push(file)
  }
  return slices
}

/** How long a slice takes: one phase after the other, two files of a phase at once. */
export function minutesOf(
  slice: readonly string[],
  minutes: Readonly<Record<string, number>>,
): number {
  const phases = Object.values(Object.groupBy(slice, (file) => file.replace(/^.*\.slow-/, '')))
  return phases
    .map((files = []) => files.map((file) => minutes[file] ?? UNKNOWN_MINUTES))
    .map((each) => Math.max(...each, each.reduce((sum, one) => sum + one, 0) / 2))
    .reduce((sum, one) => sum + one, 0)
}

/**
 * The slice for a commit, from 0, so that runs of CI for different commits take different ones.
 *
 * @param commit Its hash. What is none, as git says nothing where there is no commit, has the first slice.
 */
export function sliceOf(commit: string): number {
  return (Number.parseInt(commit.slice(0, 8), 16) || 0) % SLICES
}
