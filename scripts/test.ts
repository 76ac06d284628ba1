import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../src/shared/package-root.ts'
import { endProcesses, leftProcesses, processIds } from './test/leftovers.ts'
import { phasesCalled } from './test/phases.ts'
import { installMissingTools, isSupportedNode } from './test/requirements.ts'
import { formatResults, notRun, type PhaseResult } from './test/results.ts'
import { runPhase } from './test/run-phase.ts'

// `npm test` runs every phase, `npm test -- unit build` only these.
if (!isSupportedNode(process.versions.node)) {
  throw new Error(
    `tests need Node.js 24.15 or newer; this is ${process.versions.node}. Run npm ci.`,
  )
}
const phases = phasesCalled(process.argv.slice(2))
installMissingTools()

const marker = `vplane-test-${randomBytes(4).toString('hex')}`
const temporary = mkdtempSync(join(tmpdir(), `${marker}-`))
const reports = mkdtempSync(join(tmpdir(), 'vplane-reports-'))
const before = processIds()
const { INSTALL_STARTED_AT: installStartedAt, ...inherited } = process.env
const environment = { ...inherited, TMPDIR: temporary, TEST_RUN: marker }
const results: PhaseResult[] = installation(installStartedAt)
const interruption = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => interruption.abort(new Error(`interrupted by ${name}`)))
}
const { signal } = interruption

for (const phase of phases) {
  const obstacle = signal.aborted ? 'interrupted' : phase.obstacle?.()
  const does = obstacle === undefined ? phase.command.join(' ') : `not run: ${obstacle}`
  console.log(`\n=== ${phase.name}: ${does}`)
  results.push(
    obstacle === undefined
      ? await runPhase(phase, { root: packageRoot(), reports, environment, signal })
      : notRun(phase.name, obstacle),
  )
}
results.push(await cleanliness())
rmSync(temporary, { recursive: true, force: true })
rmSync(reports, { recursive: true, force: true })
console.log(`\n${formatResults(results)}`)
process.exitCode = results.every(({ isOk }) => isOk) && !signal.aborted ? 0 : 1

/** Whoever ran `npm ci` before may say when it began, in seconds since 1970: then it is in the table. */
function installation(startedAt: string | undefined): PhaseResult[] {
  if (startedAt === undefined) {
    return []
  }
  const minutes = (Date.now() / 1000 - Number(startedAt)) / 60
  return [{ name: 'install', isOk: true, minutes, counts: { passed: 0, failed: 0, skipped: 0 } }]
}

/** Fails when a process of this run is still there, and ends it. */
async function cleanliness(): Promise<PhaseResult> {
  const startedAt = performance.now()
  const left = await leftProcesses({ marker, root: packageRoot(), before }, 20_000)
  for (const { id, command } of left) {
    console.error(`still running after the tests: ${id} ${command}`)
  }
  endProcesses(left)
  // Node itself keeps the compiled code of command line tools there.
  const files = readdirSync(temporary).filter((file) => file !== 'node-compile-cache')
  if (files.length > 0) {
    console.error(`left in the temporary folder: ${files.join(', ')}`)
  }
  const isOk = left.length === 0
  const minutes = (performance.now() - startedAt) / 60_000
  return {
    name: 'nothing left',
    isOk,
    minutes,
    counts: { passed: 0, failed: isOk ? 0 : 1, skipped: 0 },
  }
}
