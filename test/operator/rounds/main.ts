import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { packageRoot } from '../../../src/shared/package-root.ts'

// `npm run soak:operator` runs sixty rounds, `-- --rounds 8 --seed 7` a part of others.
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '60' },
    seed: { type: 'string', default: process.env['VPLANE_TEST_SEED'] ?? '20261128' },
  },
})
const [rounds, seed] = [values.rounds, values.seed].map(Number)
if (!Number.isInteger(rounds) || !Number.isInteger(seed) || Number(rounds) < 1) {
  throw new Error(`--rounds and --seed are numbers: "${values.rounds}", "${values.seed}"`)
}
const words = ['run', '--config', 'test/vitest.config.ts', '--project', 'slow-lab']
const child = spawn('vitest', [...words, 'test/operator/rounds'], {
  cwd: packageRoot(),
  stdio: 'inherit',
  env: {
    ...process.env,
    VPLANE_OPERATOR_ROUNDS: String(rounds),
    VPLANE_TEST_SEED: String(seed),
  },
})
const [code] = await once(child, 'exit')
process.exitCode = typeof code === 'number' ? code : 1
