import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hasToRunAll, type Phase, phasesFor } from '../../scripts/test/phases.ts'
import { runPhase } from '../../scripts/test/run-phase.ts'

let folder: string
let said: string[]

beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/vplane-phase-`)
  said = []
  vi.spyOn(console, 'error').mockImplementation((text: string) => said.push(text))
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

test('a phase passes with exit code 0, and sees the environment of the run', async () => {
  const result = await run(['node', '-e', `process.exit(process.env.MARK === 'x' ? 0 : 1)`])

  expect(result).toMatchObject({ name: 'try', isOk: true, counts: { failed: 0 } })
})

test.for([
  ['another exit code', ['node', '-e', 'process.exit(3)'], 'exit 3'],
  ['a signal', ['node', '-e', `process.kill(process.pid, 'SIGTERM')`], 'ended by SIGTERM'],
  ['a program that is not there', ['no-such-program'], 'ENOENT'],
] as const)('a phase fails with %s, and says so', async ([, command, reason]) => {
  const result = await run([...command])

  expect(result).toMatchObject({ isOk: false, counts: { passed: 0, failed: 1 } })
  expect(said.join('\n')).toContain(reason)
})

test('a phase that does not end is ended at its limit', async () => {
  const result = await run(['node', '-e', 'setInterval(() => {}, 1000)'], { limitMinutes: 0.005 })

  expect(result.isOk).toBe(false)
})

test('what a vitest phase writes as its report is counted', async () => {
  const script = `
    const counts = { passed: 7, failed: 2, skipped: 0 }
    const report = { counts, failures: [], files: [] }
    require('node:fs').writeFileSync(process.env.VPLANE_PHASE_REPORT, JSON.stringify(report))
    process.exit(1)`

  const result = await run(['node', '-e', script, '--'], { isVitest: true })

  expect(result.counts).toEqual({ passed: 7, failed: 2, skipped: 0 })
})

test('phases are called by name, in their own order, and all without a name', () => {
  const named = (names: string[]) =>
    phasesFor({ names, slowFiles: undefined }).map(({ name }) => name)

  expect(named(['unit', 'lint'])).toEqual(['lint', 'unit'])
  expect(named([])).toEqual(expect.arrayContaining(['format', 'unit', 'integration', 'lab']))
  expect(() => named(['unti'])).toThrow(/no phase is called "unti"; there are format, lint/)
})

test('all phases have to run in CI on Linux, and nowhere else', () => {
  expect(hasToRunAll({ CI: 'true' }, 'linux')).toBe(true)
  expect(hasToRunAll({ CI: 'true' }, 'darwin')).toBe(false)
  expect(hasToRunAll({}, 'linux')).toBe(false)
})

test('slow files run in phases of their own: all, those that are wanted, or none', () => {
  const slowWith = (slowFiles: string[] | undefined, names: string[] = []) =>
    phasesFor({ names, slowFiles })
      .filter(({ isSlow }) => isSlow)
      .map(({ command }) => command.slice(4).join(' '))
  const lab = '--project slow-lab'

  expect(slowWith([])).toEqual([])
  expect(slowWith(undefined)).toEqual(['--project slow-integration', lab])
  expect(slowWith(['test/a.slow-lab.ts'])).toEqual([`${lab} test/a.slow-lab.ts`])
  expect(slowWith([], ['slow-lab'])).toEqual([lab])
  expect(slowWith([], ['lab'])).toEqual([])
})

test('asks what is interrupted to clean up after itself', async () => {
  const interruption = new AbortController()
  const cleaned = join(folder, 'cleaned')
  const started = join(folder, 'started')
  const script = `trap 'touch ${cleaned}; exit 130' INT; touch ${started}; while :; do sleep 0.05; done`
  const running = run(['sh', '-c', script], {}, interruption)

  await expect.poll(() => existsSync(started)).toBe(true)
  interruption.abort()

  expect(await running).toMatchObject({ isOk: false })
  expect(existsSync(cleaned)).toBe(true)
})

function run(command: string[], phase: Partial<Phase> = {}, { signal } = new AbortController()) {
  return runPhase(
    { name: 'try', command, limitMinutes: 1, ...phase },
    { root: folder, reports: folder, signal, environment: { ...process.env, MARK: 'x' } },
  )
}
