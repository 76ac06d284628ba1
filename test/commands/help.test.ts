import { expect, test } from 'vitest'
import Help from '../../src/commands/help.ts'
import { runCommandClass } from '../cli/run-command-class.ts'

test.for([
  [[], 'Getting started'],
  [['version'], '  vplane version [flags]'],
  [['config'], '  config list'],
  [['config', 'set'], '  vplane config set KEY VALUE [flags]'],
  [['config:set'], '  vplane config set KEY VALUE [flags]'],
  [['exit-codes'], 'CONTROL_PLANE_NOT_FOUND'],
] as const)('shows help on %j', async ([words, expected]) => {
  const { stdout } = await runCommandClass(Help, words)

  expect(stdout).toContain(expected)
})

test('gives the text to scripts', async () => {
  const { stdout } = await runCommandClass(Help, ['version', '--json'])

  expect(JSON.parse(stdout)).toEqual({ help: expect.stringContaining('Usage\n') })
})

test('refuses what there is no help on', async () => {
  const { error } = await runCommandClass(Help, ['frobnicate'])

  expect(error).toMatchObject({ code: 'USAGE', oclif: { exit: 2 } })
})
