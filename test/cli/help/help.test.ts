import { expect, test } from 'vitest'
import { helpOn } from '../../../src/cli/help/help.ts'
import { EXIT_CODES } from '../../../src/shared/errors.ts'
import { SOME_COMMANDS } from '../some-commands.ts'

const help = (words: readonly string[], style: Partial<Parameters<typeof helpOn>[2]> = {}) =>
  helpOn(words, SOME_COMMANDS, { bin: 'vplane', ...style })

test('shows a command with usage, arguments, grouped flags and examples', () => {
  expect(help(['create'])).toBe(`Makes a control plane.

Usage
  vplane create NAME [flags]

Arguments
  NAME  Name of the plane.

Flags
      --driver=VALUE     How to run it. [one of kubernetes, local]
      --version=VERSION  Kubernetes version. [default: 1.36.3]
  -f, --file=FILE        The spec.
      --set=PATH=VALUE   Sets a field. [may be repeated]
      --[no-]wait        Waits.

Local driver
      --bin-dir=FOLDER  Binaries.

Common flags
      --json  Prints the result as JSON.
  -h, --help  Shows this help.

Description
  It is ready when the API answers.

Examples
  $ vplane create dev

  # Another version.
  $ vplane create dev --version 1.35

Exit codes: vplane help exit-codes
`)
})

test('shows aliases, optional arguments and what may follow --', () => {
  expect(help(['connect'])).toContain('  vplane connect [NAME] [flags] [-- CMD...]\n')
  expect(help(['rm'])).toContain('  vplane delete [NAME...] [flags]\n')
  expect(help(['rm'])).toContain('Aliases\n  vplane rm\n')
})

test('shows all commands by purpose, each once and none that is hidden', () => {
  const text = help([])

  expect(text).toContain('Getting started\n  create      Makes a control plane.\n')
  expect(text).toContain('Control planes\n  connect     Connects to a control plane.\n  delete ')
  expect(text.match(/^ {2}config .*$/gm)).toEqual([
    '  config      Reads and changes the defaults of this machine.',
  ])
  expect(text).not.toMatch(/^ {2}rm /m)
  expect(text).not.toContain('internal')
})

test('shows the commands of a topic', () => {
  expect(help(['config'])).toBe(`Reads and changes the defaults of this machine.

Usage
  vplane config COMMAND [flags]

Commands
  config get  Prints a setting.
  config set  Sets a setting.
`)
})

test('shows every exit code with the code that scripts see', () => {
  const text = help(['exit-codes'])

  for (const [code, status] of Object.entries(EXIT_CODES)) {
    expect(text).toMatch(new RegExp(`^ {2}${status} [^]*\\b${code}\\b`, 'm'))
  }
  expect(text).toContain('125')
})

test('refuses a subject that does not exist', () => {
  expect(() => help(['frobnicate'])).toThrow(
    expect.objectContaining({ code: 'USAGE', message: 'there is no help on "frobnicate"' }),
  )
})

test('calls itself kubectl vplane when it was started as a plugin', () => {
  const texts = [[], ['create'], ['config'], ['connect']].map((words) =>
    help(words, { bin: 'kubectl vplane' }),
  )

  for (const text of texts) {
    expect(text).toContain('kubectl vplane')
    expect(text).not.toMatch(/^\s*\$? ?vplane (create|config|connect|delete|help)/m)
  }
})

test.for([50, 60, 80])('stays within %i columns', (width) => {
  const texts = [[], ['create'], ['config'], ['exit-codes']].map((words) => help(words, { width }))
  // Command lines to paste and long codes are never cut.
  const lines = texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => !/^ {2}(\$|vplane) |_|exit-codes/.test(line))

  expect(lines.filter((line) => line.length > width)).toEqual([])
})

test('writes headings in bold, and only where colour is wanted', () => {
  expect(help(['create'], { color: true })).toContain('\u001b[1mUsage\u001b[22m')
  expect(help(['create'])).not.toContain('\u001b')
})
