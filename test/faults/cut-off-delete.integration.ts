import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../support/cli.ts'

/** How long commands take without the work that is cut off, in milliseconds. */
const STEP_MS = 40

describe('a command that is cut off by kill -9', () => {
  let cli: Cli

  beforeAll(async () => {
    cli = await createCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for([5, 6, 7, 8, 9])(
    'in the middle of a deletion, step %i, leaves a plane that can be deleted, or nothing',
    async (step) => {
      await cli.ok(['create', 'dev', '--ephemeral', '--no-wait'])

      await cutOff(['delete', 'dev', '--yes'], step)

      const listed: Array<{ name: string }> = JSON.parse(await cli.ok(['list', '--json']))
      expect(listed.length === 0 && cli.processes().length > 0).toBe(false)
      await cli.ok(['delete', 'dev', '--yes', '--ignore-not-found'])
      expect(cli.processes()).toEqual([])
      expect(cli.files()).toEqual([])
      expect(readdirSync(dirname(cli.plane('dev').root))).toEqual([])
    },
  )

  test('in the middle of pause and resume leaves a plane that both work on', async () => {
    await cli.ok(['create', 'dev', '--connect'])
    expect((await cli.kubectl(['create', 'namespace', 'kept'])).code).toBe(0)

    for (const step of [6, 12]) {
      await cutOff(['pause', 'dev'], step)
      await cutOff(['resume', 'dev'], 2 * step)
    }

    await cli.ok(['pause', 'dev'])
    expect(cli.processes()).toEqual([])
    const { code, stderr } = await cli.kubectl(['get', 'namespace', 'kept'])
    expect(code, stderr).toBe(0)
    expect(cli.processes()).toHaveLength(3)
    await cli.ok(['delete', 'dev', '--yes'])
  })

  async function cutOff(args: readonly string[], step: number): Promise<void> {
    const { child, ended } = cli.start(args)
    await Promise.race([delay(step * STEP_MS), ended])
    child.kill('SIGKILL')
    await ended
  }
})
