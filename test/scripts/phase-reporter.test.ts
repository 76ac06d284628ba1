import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PhaseReport, REPORT } from '../../scripts/test/phase-report.ts'
import { packageRoot } from '../../src/shared/package-root.ts'

const REPORTER = join(packageRoot(), 'scripts/test/phase-reporter.ts')
const VITEST = join(packageRoot(), 'node_modules/vitest/vitest.mjs')

/** Without an import of vitest, which is not installed where they lie. */
const FILES = {
  'vitest.config.js': 'export default { test: { globals: true } }',
  'some.test.js': `
    const long = Array.from({ length: 20 }, (_, index) => 'line ' + index).join('\\n')
    test('works', () => {})
    test.skip('waits', () => {})
    describe('a thing', () => {
      test('breaks', () => { throw new Error('\\u001B[31mexpected 1\\u001B[39m\\n' + long) })
    })`,
  'broken.test.js': `import './missing.js'\ntest('never runs', () => {})`,
}

let folder: string
let report: PhaseReport
let said: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vplane-reporter-'))
  for (const [name, text] of Object.entries(FILES)) {
    writeFileSync(join(folder, name), text)
  }
  const path = join(folder, 'report.json')
  said = await runVitest(path)
  report = JSON.parse(readFileSync(path, 'utf8'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('counts a test file that could not be loaded as a failure', () => {
  expect(report.counts).toEqual({ passed: 1, failed: 2, skipped: 1 })
  expect(failureAbout('broken.test.js')).toMatch(/^broken\.test\.js\n {4}.*missing\.js/)
  expect(report.files.map(({ file, result }) => `${file} ${result}`).toSorted()).toEqual([
    'broken.test.js failed',
    'some.test.js failed',
  ])
})

test('reports each failed test with its file and the first lines of what it says', () => {
  expect(report.failures).toHaveLength(2)
  const lines = failureAbout('some.test.js').split('\n')

  expect(lines.slice(0, 3)).toEqual([
    'some.test.js: a thing > breaks',
    '    Error: expected 1',
    '    line 0',
  ])
  expect(lines.at(-1)).toBe('    line 10')
})

test('says at once what failed', () => {
  expect(said).toContain('\nFAILED some.test.js: a thing > breaks\nexpected 1\nline 0\n')
})

function failureAbout(file: string): string {
  return report.failures.find((failure) => failure.startsWith(file)) ?? ''
}

/** Runs the files with the reporter, and says what was on stderr. */
function runVitest(path: string): Promise<string> {
  const args = [VITEST, 'run', '--root', folder, `--reporter=${REPORTER}`]
  const options = { cwd: folder, env: { ...process.env, [REPORT]: path } }
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (_, __, stderr) => resolve(stderr))
  })
}
