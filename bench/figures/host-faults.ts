import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/shared/package-root.ts'
import type { RoundSummary } from '../../test/faults/rounds/round-summary.ts'
import { total } from '../compare.ts'
import type { Figure } from '../figure.ts'
import { whyNoHost } from '../host/host-lab.ts'

/** How many operations there are for each round of the bench: fifty, unless it is told otherwise. */
const OPERATIONS = 10

const TEST = [
  '--config',
  'test/vitest.config.ts',
  '--project',
  'slow-lab',
  'test/faults/rounds/rounds.slow-lab.ts',
]

/** What becomes of acknowledged writes when something is killed during each operation on a plane: what `npm run soak:faults` finds. */
export const hostFaultsFigure: Figure = {
  name: 'host-faults',
  async measure({ rounds, workspace: { folder, signal } }) {
    if (whyNoHost() !== undefined) {
      return []
    }
    const file = join(folder, 'faults.json')
    const root = packageRoot()
    const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...TEST]
    const VPLANE_FAULT_ROUNDS = String(rounds * OPERATIONS)
    const running = spawn(process.execPath, vitest, {
      cwd: root,
      env: { ...process.env, VPLANE_FAULT_ROUNDS, VPLANE_FAULT_SUMMARY: file },
      // A table goes to stdout.
      stdio: ['ignore', 2, 2],
      signal,
    })
    await once(running, 'close')
    if (!existsSync(file)) {
      throw new Error('the test of faults wrote no summary')
    }
    const summary: RoundSummary = JSON.parse(readFileSync(file, 'utf8'))
    const { acknowledged, hits, planned, seed } = summary
    return [
      total({
        name: 'host-faults-lost',
        what: `acknowledged writes that were lost after ${planned} operations on a plane, with a kill during each`,
        unit: 'writes',
        of: 'lost',
        target: 0,
        samples: { lost: summary.rounds.map(({ lost }) => lost) },
        notes: [
          `in ${hits} of ${summary.rounds.length} rounds the kill hit the running operation; up to ${acknowledged} writes of one plane were checked; seed ${seed}`,
        ],
      }),
      total({
        name: 'host-faults-unfinished',
        what: 'the same: operations that did not succeed when they were run again',
        unit: 'operations',
        of: 'unfinished',
        target: 0,
        samples: { unfinished: [planned - summary.rounds.length] },
      }),
    ]
  },
}
