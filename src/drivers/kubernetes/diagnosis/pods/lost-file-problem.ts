import type { Problem } from '../../context/problem.ts'

/** What kine reports every second while sqlite has no file and may not create one. */
const NO_FILE = /unable to open database file/

/** The problem of kine whose volume has lost its file; undefined if its log does not say so. */
export function lostFileProblem(
  lines: readonly string[],
  plane: { name: string; namespace: string },
): Problem | undefined {
  return NO_FILE.test(lines.at(-1) ?? '')
    ? {
        state: 'DataLost',
        reason: 'its data is lost: its volume has no file of sqlite',
        hints: [
          {
            purpose: 'restore a snapshot',
            action: 'restore',
            plane,
            from: 'SNAPSHOT',
            force: true,
          },
          'or restore the volume from a backup',
          { purpose: 'or delete the plane', action: 'delete', plane },
        ],
        final: true,
      }
    : undefined
}
