import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/shared/package-root.ts'
import { type Cli, createCli } from '../support/cli/cli.ts'
import { hasScript } from '../support/machine/has-script.ts'

const SCREENS = [
  'help',
  'help create',
  'help certs',
  'list',
  'describe dev',
  'certs check',
  'config list',
] as const

describe.skipIf(!hasScript())('screens', { shuffle: false }, () => {
  let cli: Cli

  beforeAll(async () => {
    cli = await createCli()
    await cli.ok(['create', 'dev'])
    await cli.ok(['pause', 'dev'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for([60, 80, 120].flatMap((width) => SCREENS.map((words) => [words, width] as const)))(
    '%s in %i columns show whole words, as stored',
    async ([words, width]) => {
      const screen = onTerminal(words, width)

      await expect(screen).toMatchFileSnapshot(`screens/${words.replaceAll(' ', '-')}-${width}.txt`)
    },
  )

  /** What a command prints on a terminal; what differs from run to run and from machine to machine has a placeholder. */
  function onTerminal(words: string, width: number): string {
    const vplane = `'${process.execPath}' '${join(packageRoot(), 'bin/vplane.js')}' ${words}`
    const { stdout } = spawnSync(
      'script',
      ['--quiet', '--command', `stty cols ${width} rows 50; ${vplane}`, '/dev/null'],
      { encoding: 'utf8', env: { ...process.env, ...cli.environment, NO_COLOR: '1' } },
    )
    return stdout
      .replaceAll('\r', '')
      .replaceAll(cli.root, '/HOME')
      .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, (date) =>
        '0000-00-00T00:00:00.000Z'.slice(0, date.length),
      )
      .replaceAll(/\b\d+(s|m|h|d)\b/g, '00$1')
      .replaceAll(/\b\d+(\.\d)? (MiB|KiB)/g, '00 $2')
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:00000')
  }
})
