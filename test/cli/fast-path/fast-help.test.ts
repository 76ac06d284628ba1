import { expect, test, vi } from 'vitest'
import { fastHelp } from '../../../src/cli/fast-path/fast-help.ts'

async function helpFor(argv: string[]): Promise<string | undefined> {
  let text = ''
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk)
    return true
  })
  const isPrinted = await fastHelp(argv, 'kubectl vplane')
  spy.mockRestore()
  return isPrinted ? text : undefined
}

test('prints help on everything, a topic and a command', async () => {
  for (const argv of [[], ['--help'], ['-h']]) {
    expect(await helpFor(argv)).toContain('Usage: kubectl vplane COMMAND [flags]')
  }
  expect(await helpFor(['config', '-h'])).toContain('kubectl vplane config COMMAND [flags]')
  expect(await helpFor(['config', 'get', '--help'])).toContain('kubectl vplane config get')
})

test.for([
  ['a command without --help', ['create', 'dev']],
  ['--help of the own command of the user', ['connect', 'dev', '--', 'kubectl', '--help']],
  ['a command that does not exist', ['craete', '--help']],
] as const)('leaves to the framework %s', async ([, argv]) => {
  expect(await helpFor([...argv])).toBeUndefined()
})
