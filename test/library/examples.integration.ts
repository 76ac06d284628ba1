import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { packageRoot } from '../../src/shared/package-root.ts'
import { exampleProject } from './example-project.ts'
import { libraryExamples } from './examples.ts'
import { runProject } from './run-project.ts'

const project = exampleProject(libraryExamples())

afterAll(() => {
  project[Symbol.dispose]()
})

test('examples are of the right types', () => {
  const tsc = join(packageRoot(), 'node_modules/.bin/tsc')

  const { stdout } = spawnSync(tsc, ['-p', project.folder], { encoding: 'utf8' })

  expect(stdout).toBe('')
})

test.for(project.scripts)('the example in %s runs to its end', async (script) => {
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    cwd: project.folder,
    timeout: 300_000,
  })

  expect(stdout).toBe('')
})

test('examples of tests pass', () => {
  const { output, status } = runProject(project.folder, project.folder)

  expect(output).toMatch(/Test Files +2 passed/)
  expect(status).toBe(0)
})
