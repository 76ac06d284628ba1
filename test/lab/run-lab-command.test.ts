import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { silentUi } from '../../src/shared/ui.ts'
import { runLabCommand } from './run-lab-command.ts'

test.for([[], ['--help'], ['up', '--help']])('explains itself: %j', async (words) => {
  await using lab = await emptyLab()

  expect(await lab.run(...words)).toMatch(/^npm run lab -- COMMAND/)
})

test.for([
  [['upp'], '"upp" is no command of the lab'],
  [['up', '--node', '2'], "Unknown option '--node'"],
] as const)('refuses %j', async ([words, message]) => {
  await using lab = await emptyLab()

  await expect(lab.run(...words)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(message),
    hints: ['npm run lab -- --help'],
  })
})

test('has no status without clusters', async () => {
  await using lab = await emptyLab()

  expect(await lab.run('status')).toBe('no clusters\n')
})

test.for(['kubeconfig', 'load-image'])(
  '%s says how to make a cluster that is not there',
  async (word) => {
    await using lab = await emptyLab()

    await expect(lab.run(word, '--name', 'h9')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      hints: ['npm run lab -- up --name h9'],
    })
  },
)

test('removes what is not there without complaint', async () => {
  await using lab = await emptyLab()

  expect(await lab.run('down', '--name', 'h9')).toBe('')
})

async function emptyLab() {
  const home = await mkdtempDisposable(join(tmpdir(), 'lab-home-'))
  vi.stubEnv('VPLANE_HOME', home.path)
  const { signal } = new AbortController()
  return {
    run: (...words: string[]) => runLabCommand(words, { ui: silentUi, signal }),
    [Symbol.asyncDispose]: () => home.remove(),
  }
}
