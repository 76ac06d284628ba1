import { expect, test } from 'vitest'
import { COMPLETION_SHELLS, completionScript } from '../../src/cli/completion/completion-script.ts'
import Completion from '../../src/commands/completion.ts'
import { runCommandClass } from '../cli/run-command-class.ts'

test.for(COMPLETION_SHELLS)('prints the script for %s, and gives it to scripts', async (shell) => {
  const { result, stdout } = await runCommandClass(Completion, [shell])

  expect(stdout).toBe(completionScript(shell))
  expect(result).toEqual({ shell, script: completionScript(shell) })
})

test.for([
  [[], 'SHELL is missing'],
  [['csh'], '"csh" is not one of bash, zsh, fish, powershell'],
] as const)('refuses %j', async ([argv, message]) => {
  const { error } = await runCommandClass(Completion, argv)

  expect(error).toMatchObject({ code: 'USAGE', message })
})
