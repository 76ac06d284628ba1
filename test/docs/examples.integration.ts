import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../src/shared/package-root.ts'
import { type Cli, createCli } from '../support/cli/cli.ts'
import { hasScript } from '../support/machine/has-script.ts'
import { readPages } from './read-pages.ts'

/** What the pages do with one plane, in this order. The last line of README deletes it, as the end of the other page does. */
const EXAMPLES = [
  ['docs/getting-started.md', 'Create a control plane'],
  ['docs/getting-started.md', 'Use it'],
  ['docs/getting-started.md', 'Install CRDs'],
  ['docs/getting-started.md', 'Pause it'],
  ['docs/getting-started.md', 'Look at it'],
  ['docs/getting-started.md', 'Disconnect'],
  ['README.md', 'Everyday use'],
] as const

let cli: Cli

beforeAll(async () => {
  cli = await createCli()
})
afterAll(() => cli[Symbol.asyncDispose]())

const isOnTerminal = hasScript()

test(`the shell examples for one machine run as they stand ${isOnTerminal ? 'on' : 'without'} a terminal, in an empty home directory`, async () => {
  const script = EXAMPLES.map(([path, heading]) => examplesBelow(path, heading)).join('')
  const PATH = [folderWithVplane(cli.root), cli.environment['PATH']].join(delimiter)
  const bash = ['-euo', 'pipefail', 'examples.sh']
  const onTerminal = `stty cols 120 rows 40; bash ${bash.join(' ')}`
  writeFileSync(join(cli.root, 'examples.sh'), script)

  const { code, stderr, stdout } = await cli.start(
    isOnTerminal ? ['--quiet', '--return', '--command', onTerminal, '/dev/null'] : bash,
    {
      program: isOnTerminal ? 'script' : 'bash',
      cwd: cli.root,
      // With CI set, vplane connects nothing by itself.
      env: { PATH, KUBECONFIG: undefined, CI: undefined },
    },
  ).ended

  expect(code, `${stdout}\n${stderr}`).toBe(0)
  expect(stdout).toContain('configmap/hello created')
  expect(stdout).toContain('greetings.example.com condition met')
  expect(stdout).toContain('namespace/shop created')
  expect(stdout).toMatch(/Deleted "dev"\.\r?\nIts snapshots stay: dev-\d/)
  expect(cli.processes()).toEqual([])
})

test('the page deletes its plane as README does', () => {
  const [last] = examplesBelow('README.md', 'Everyday use').match(/^vplane delete \S+ --yes/m) ?? []

  expect(examplesBelow('docs/getting-started.md', 'Remove it')).toBe(`${last}\n`)
})

/** The shell examples of a page below a heading, which must have some. */
function examplesBelow(path: string, heading: string): string {
  const page = readPages().find((one) => one.path === path)
  const blocks = page?.blocks.filter((block) => block.heading === heading) ?? []
  expect(blocks.map(({ language }) => language)).toContain('sh')
  return blocks.map(({ code }) => code).join('')
}

/** A folder with a command `vplane`, as an installation makes it. */
function folderWithVplane(root: string): string {
  const folder = join(root, 'bin')
  const program = join(packageRoot(), 'bin/vplane.js')
  mkdirSync(folder)
  const script = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`
  writeFileSync(join(folder, 'vplane'), script, { mode: 0o755 })
  return folder
}
