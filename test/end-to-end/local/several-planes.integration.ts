import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { breachesOf } from '../../schemas/read-schema.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'

const SHOP = ['-l', 'team=shop']

let cli: Cli
let binDir: string

/** Three planes of a team, of which one has its binaries in a folder of the user. */
beforeAll(async () => {
  cli = await createCli()
  binDir = join(cli.root, 'bin')
  mkdirSync(binDir)
  Object.values(cli.binaries).forEach((path) => symlinkSync(path, join(binDir, basename(path))))
  const small = ['--ephemeral', '--label', 'team=shop']
  await cli.ok(['create', 'a', ...small, '--label', 'tier=web'])
  await cli.ok(['create', 'b', ...small])
  await cli.ok(['create', 'c', ...small, '--bin-dir', binDir])
})
afterAll(() => cli[Symbol.asyncDispose]())

async function statuses(): Promise<Record<string, string>> {
  const { items } = await cli.json(['list', '--json'])
  return Object.fromEntries(
    items.map(({ name, status }: { name: string; status: string }) => [name, status]),
  )
}

test('pauses, resumes and deletes the planes with a label, also if one of them fails', async () => {
  expect(await cli.ok(['pause', '-l', 'tier=web', '--dry-run'])).toMatch(
    /^a:\n {2}Steps:\n {4}1\. stop [^]*\nNothing was changed\.\n$/,
  )
  const paused = await cli.json(['pause', ...SHOP, '--json'])
  expect(breachesOf('results/pause.json', paused)).toEqual([])
  expect(paused.items).toMatchObject([
    { name: 'a', driver: 'local', outcome: 'done', result: { status: 'Paused' } },
    { name: 'b', driver: 'local', outcome: 'done' },
    { name: 'c', driver: 'local', outcome: 'done' },
  ])
  expect(cli.processes()).toEqual([])

  rmSync(binDir, { recursive: true })
  const resumed = await cli.run(['resume', ...SHOP])
  expect(resumed.code).toBe(7)
  expect(resumed.stdout.split('\n').toSorted()).toEqual(['', '"a" is ready.', '"b" is ready.'])
  expect(resumed.stderr).toMatch(/^error: 1 of 3 control planes is not ready:\n {2}c: .*bin/m)
  expect(resumed.stderr).toContain('hint: to try again: vplane resume -l team=shop\n')
  await expect.poll(statuses).toEqual({ a: 'Ready', b: 'Ready', c: 'Stopped' })

  const asked = await cli.run(['delete', ...SHOP])
  expect(asked.code).toBe(2)
  expect(asked.stderr).toContain('"Delete 3 control planes (a, b, c) and everything in them?"')
  const deleted = await cli.json(['delete', ...SHOP, '--yes', '--json'])
  expect(breachesOf('results/delete.json', deleted)).toEqual([])
  expect(await statuses()).toEqual({})
  expect(cli.processes()).toEqual([])

  const none = await cli.run(['delete', ...SHOP, '--yes'])
  expect(none).toMatchObject({ code: 0, stderr: 'No control plane matches "team=shop".\n' })
})
