import type { Environment } from '../../src/shared/environment.ts'
import { canRunLab } from '../../test/lab/can-run-lab.ts'

export interface Phase {
  name: string
  command: string[]
  /** Runs vitest, which reports its tests. @default false */
  isVitest?: boolean
  /** How the names of its files end, if `npm test` leaves them out. @default it is always run */
  slow?: string
  /** A phase that takes longer is ended and has failed. */
  limitMinutes: number
  /** Why it cannot run on this machine, in a few words. @default it can */
  obstacle?: () => string | undefined
}

/** Which phases are run. */
export interface WantedPhases {
  /** Only these. @default all */
  names?: readonly string[]
  /** The slow files that are run; undefined is all of them. */
  slowFiles: readonly string[] | undefined
}

const VITEST = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--project']

/** Everything that is checked, the quickest first. A phase that fails does not hide those after it. */
const PHASES: Phase[] = [
  { name: 'format', command: ['oxfmt', '--check'], limitMinutes: 2 },
  { name: 'lint', command: ['oxlint', '--deny-warnings'], limitMinutes: 5 },
  { name: 'types', command: ['tsc'], limitMinutes: 5 },
  { name: 'unused', command: ['knip'], limitMinutes: 5 },
  { name: 'unit', command: [...VITEST, 'unit'], isVitest: true, limitMinutes: 15 },
  { name: 'build', command: ['node', 'scripts/build.ts'], limitMinutes: 5 },
  { name: 'package', command: ['node', 'scripts/check-package.ts'], limitMinutes: 5 },
  { name: 'readme', command: ['node', 'scripts/readme.ts', '--check'], limitMinutes: 2 },
  { name: 'integration', command: [...VITEST, 'integration'], isVitest: true, limitMinutes: 60 },
  {
    name: 'lab',
    command: [...VITEST, 'lab'],
    isVitest: true,
    limitMinutes: 60,
    obstacle: () => canRunLab(),
  },
  {
    name: 'slow-integration',
    command: [...VITEST, 'slow-integration'],
    isVitest: true,
    slow: '.slow-integration.ts',
    limitMinutes: 60,
  },
  {
    name: 'slow-lab',
    command: [...VITEST, 'slow-lab'],
    isVitest: true,
    slow: '.slow-lab.ts',
    limitMinutes: 75,
    obstacle: () => canRunLab(),
  },
]

/** The phases with tests on real components, whose files take long. */
export const HEAVY = ['integration', 'lab', 'slow-integration', 'slow-lab']

/** Whether a phase that cannot run fails: CI on Linux is to run all, and would be green without labs for ever. */
export function hasToRunAll({ CI: ci }: Environment, platform: NodeJS.Platform): boolean {
  return ci === 'true' && platform === 'linux'
}

/**
 * The phases that are wanted. Of a slow phase only the given files are run, and without any of its files it is left out.
 *
 * @throws {Error} on a name that no phase has.
 */
export function phasesFor(
  { names = [], slowFiles }: WantedPhases,
  phases: readonly Phase[] = PHASES,
): Phase[] {
  const unknown = names.filter((name) => !phases.some((phase) => phase.name === name))
  if (unknown.length > 0) {
    const known = phases.map(({ name }) => name).join(', ')
    throw new Error(`no phase is called "${unknown.join('", "')}"; there are ${known}`)
  }
  return phases
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .flatMap((phase) => {
      const { command, slow } = phase
      if (slow === undefined || slowFiles === undefined) {
        return [phase]
      }
      const files = slowFiles.filter((file) => file.endsWith(slow))
      return files.length === 0 ? [] : [{ ...phase, command: [...command, ...files] }]
    })
}
