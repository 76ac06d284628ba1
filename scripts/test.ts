import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packageRoot } from '../src/shared/package-root.ts'
import { canRunLab, removeOrphanedLabs } from '../test/lab/lab.ts'
import { endProcesses, leftProcesses, processIds } from './test/leftovers.ts'
import { hasToRunAll, HEAVY, type Phase, phasesFor } from './test/phases.ts'
import { installMissingTools, isSupportedNode } from './test/requirements.ts'
import { formatResults, minutesOf, notRun, type PhaseResult, ran } from './test/results.ts'
import { runPhase } from './test/run-phase.ts'
import {
  knownMinutes,
  MINUTES_FILE,
  sliced,
  sliceOf,
  SLICES,
  slowFiles,
} from './test/slow-files.ts'

// `npm test` runs all phases but the slow ones, `npm test -- unit build` only these, `--all` the slow ones too.
// `--keep-minutes` writes down what the files took.
if (!isSupportedNode(process.versions.node)) {
  throw new Error(
    `tests need Node.js 24.15 or newer; this is ${process.versions.node}. Run npm ci.`,
  )
}
const { positionals: names, values: flags } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' }, 'keep-minutes': { type: 'boolean' } },
})
const slowSlice = flags.all || names.length > 0 ? undefined : slice()
const phases = phasesFor({ names, slowFiles: slowSlice })
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
const hasToRun = hasToRunAll(process.env, process.platform)

/** A slice of slow tests begins within so many minutes: a machine that needs longer for the others has no time for them. */
const SLICE_WITHIN_MINUTES = 45

for (const phase of phases) {
  const late = lateness(phase)
  const obstacle = signal.aborted ? 'interrupted' : (late ?? phase.obstacle?.())
  const does = obstacle === undefined ? phase.command.join(' ') : `not run: ${obstacle}`
  console.log(`\n=== ${phase.name}: ${does}`)
  results.push(
    obstacle === undefined
      ? await runPhase(phase, { root: packageRoot(), reports, environment, signal })
      : notRun(phase.name, obstacle, { hasToRun: hasToRun && late === undefined }),
  )
}
results.push(await cleanliness())
if (signal.aborted && canRunLab() === undefined) {
  // vitest exits immediately when it is interrupted, and its host clusters stay.
  await removeOrphanedLabs()
}
rmSync(temporary, { recursive: true, force: true })
rmSync(reports, { recursive: true, force: true })
if (flags['keep-minutes']) {
  keepMinutes()
}
console.log(`\n${formatResults(results, flags.all ? HEAVY : [])}`)
process.exitCode = results.every(({ isOk }) => isOk) && !signal.aborted ? 0 : 1

/** Why a slice of slow tests does not begin any more. */
function lateness({ isSlow = false }: Phase): string | undefined {
  const minutes = minutesOf(results)
  const isLate = isSlow && slowSlice !== undefined && minutes > SLICE_WITHIN_MINUTES
  return isLate ? `${Math.round(minutes)} minutes are gone` : undefined
}

/**
 * The slow files of this run: in CI the slice that the commit selects; where `VPLANE_TEST_SLICE` is the number of a slice,
 * from 0, that slice; otherwise none.
 */
function slice(): string[] {
  const { CI: ci, VPLANE_TEST_SLICE: chosen = '' } = process.env
  if (chosen === '' && ci !== 'true') {
    return []
  }
  const root = packageRoot()
  const head = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  const commit = head.status === 0 ? head.stdout : ''
  const number = chosen === '' ? sliceOf(commit) : Number(chosen)
  const files = sliced(slowFiles(root), knownMinutes(root))[number]
  if (files === undefined) {
    throw new Error(`VPLANE_TEST_SLICE is "${chosen}"; slices are called 0 to ${SLICES - 1}`)
  }
  console.log(`slice ${number} of the slow tests: ${files.join(', ')}`)
  return files
}

/** Writes down what files took, for the order in which they start and for the slices. */
function keepMinutes(): void {
  const files = results.filter(({ name }) => HEAVY.includes(name)).flatMap((one) => one.files)
  const measured = files.map(({ file, minutes }) => [file, Math.round(minutes * 10) / 10] as const)
  const all = new Map([...Object.entries(knownMinutes(packageRoot())), ...measured])
  const isThere = ([file]: readonly [string, number]) => existsSync(join(packageRoot(), file))
  const sorted = [...all].filter(isThere).toSorted(([one], [other]) => one.localeCompare(other))
  const text = `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`
  writeFileSync(join(packageRoot(), MINUTES_FILE), text)
}

/** Who ran `npm ci` before may say when it began, in seconds since 1970: then it is in the table. */
function installation(startedAt: string | undefined): PhaseResult[] {
  if (startedAt === undefined) {
    return []
  }
  const minutes = (Date.now() / 1000 - Number(startedAt)) / 60
  return [ran('install', { isOk: true, minutes })]
}

/** Fails if a process of this run still runs, and stops it. */
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
  return ran('nothing left', { isOk, minutes })
}
