import { canRunLab } from '../../test/lab/can-run-lab.ts'

export interface Phase {
  name: string
  command: string[]
  /** Runs vitest, whose results are counted. @default false */
  isVitest?: boolean
  /** A phase that takes longer is ended and has failed. */
  limitMinutes: number
  /** Why it cannot run on this machine, in a few words. @default it can */
  obstacle?: () => string | undefined
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
  { name: 'integration', command: [...VITEST, 'integration'], isVitest: true, limitMinutes: 75 },
  {
    name: 'lab',
    command: [...VITEST, 'lab'],
    isVitest: true,
    limitMinutes: 75,
    obstacle: () => canRunLab(),
  },
]

/**
 * The phases with these names; without names all.
 *
 * @throws {Error} on a name that no phase has.
 */
export function phasesCalled(names: readonly string[], phases: readonly Phase[] = PHASES): Phase[] {
  const unknown = names.filter((name) => !phases.some((phase) => phase.name === name))
  if (unknown.length > 0) {
    const known = phases.map(({ name }) => name).join(', ')
    throw new Error(`no phase is called "${unknown.join('", "')}"; there are ${known}`)
  }
  return phases.filter(({ name }) => names.length === 0 || names.includes(name))
}
