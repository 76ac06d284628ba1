import { expect, test } from 'vitest'
import { completionScript } from '../../src/cli/completion/completion-script.ts'
import Completion from '../../src/commands/completion.ts'
import { runCommandClass } from '../cli/run-command-class.ts'

test.for(['bash', 'zsh', 'fish', 'powershell'] as const)(
  'prints the script for %s',
  async (shell) => {
    const { stdout } = await runCommandClass(Completion, [shell])

    expect(stdout).toBe(completionScript(shell))
  },
)

test('gives script and shell to scripts', async () => {
  const { result } = await runCommandClass(Completion, ['zsh', '--json'])

  expect(result).toEqual({ shell: 'zsh', script: completionScript('zsh') })
})

test.for([
  [[], 'SHELL is missing'],
  [['csh'], '"csh" is not one of bash, zsh, fish, powershell'],
] as const)('refuses %j', async ([argv, message]) => {
  const { error } = await runCommandClass(Completion, argv)

  expect(error).toMatchObject({ code: 'USAGE', message })
})
