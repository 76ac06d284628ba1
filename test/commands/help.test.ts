import { expect, test } from 'vitest'
import Help from '../../src/commands/help.ts'
import Run from '../../src/commands/run.ts'
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

test('shows --json for every command but run, which always refuses it', async () => {
  const run = await runCommandClass(Help, ['run'])
  const create = await runCommandClass(Help, ['create'])
  const refused = await runCommandClass(Run, ['--json', '--', 'true'])

  expect(create.stdout).toContain('--json')
  expect(run.stdout).not.toContain('--json')
  expect(refused.error).toMatchObject({
    message: '--json cannot be used with a command, which has its own output',
    oclif: { exit: 125 },
  })
})

test('refuses what there is no help on', async () => {
  const { error } = await runCommandClass(Help, ['frobnicate'])

  expect(error).toMatchObject({ code: 'USAGE', oclif: { exit: 2 } })
})
