import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { entryPoints } from '../../scripts/build/entry-points.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vplane-entries-'))
  mkdirSync(join(root, 'src/commands/config'), { recursive: true })
  writeFileSync(join(root, 'src/commands/list.ts'), '')
  writeFileSync(join(root, 'src/commands/config/get.ts'), '')
})

afterEach(() => {
  rmSync(root, { recursive: true })
})

test('commands are found in every folder, in a stable order', () => {
  const found = entryPoints(root, ['src/commands/**/*.ts'])

  expect(found).toEqual(['src/commands/config/get.ts', 'src/commands/list.ts'])
})

test('an entry that is not there fails the build by name', () => {
  const find = () => entryPoints(root, ['src/commands/**/*.ts', 'src/cli/run.ts'])

  expect(find).toThrow('no file matches the entry point "src/cli/run.ts"')
})
