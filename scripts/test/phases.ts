import type { Environment } from '../../src/shared/environment.ts'
import { canRunLab } from '../../test/lab/can-run-lab.ts'

export interface Phase {
  name: string
  command: string[]
  /** Runs vitest, which reports its tests. @default false */
  isVitest?: boolean
  /** Runs slow files, of which `npm test` runs a slice or none. @default false */
  isSlow?: boolean
  /** A phase that takes longer is ended and has failed. */
  limitMinutes: number
  /** Why it cannot run on this machine, in a few words. @default it can */
  obstacle?: () => string | undefined
}

/** Which phases are run. */
export interface WantedPhases {
  /** Only these, with all of their files. @default all */
  names?: readonly string[]
  /** The slow files that run when no phase is named; undefined is all of them. */
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
  {
    name: 'integration',
    command: [...VITEST, 'integration'],
    isVitest: true,
    limitMinutes: 60,
  },
  {
    name: 'lab',
    command: [...VITEST, 'lab', '--project', 'quiet-lab'],
    isVitest: true,
    limitMinutes: 80,
    obstacle: () => canRunLab(),
  },
  {
    name: 'slow-integration',
    command: [...VITEST, 'slow-integration'],
    isVitest: true,
    isSlow: true,
    limitMinutes: 60,
  },
  {
    name: 'slow-lab',
    command: [...VITEST, 'slow-lab'],
    isVitest: true,
    isSlow: true,
    limitMinutes: 180,
    obstacle: () => canRunLab(),
  },
]

/** The phases with tests on real components, whose files take long. */
export const HEAVY = ['integration', 'lab', 'slow-integration', 'slow-lab']

/** Whether a phase that cannot run fails: CI on Linux is to run all, and would always be green without labs. */
export function hasToRunAll({ CI: ci }: Environment, platform: NodeJS.Platform): boolean {
  return ci === 'true' && platform === 'linux'
}

/**
 * The phases that are wanted, with the slow files that are.
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
  return phases.flatMap((phase) => {
    if (names.length > 0) {
      return names.includes(phase.name) ? [phase] : []
    }
    if (phase.isSlow !== true || slowFiles === undefined) {
      return [phase]
    }
    const files = slowFiles.filter((file) => file.endsWith(`.${phase.name}.ts`))
    return files.length === 0 ? [] : [{ ...phase, command: [...phase.command, ...files] }]
  })
}
