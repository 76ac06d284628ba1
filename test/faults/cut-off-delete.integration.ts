import { readdirSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../../src/shared/wait.ts'
import { type Cli, createCli } from '../support/cli/cli.ts'

/** Of the work that is interrupted, in milliseconds. */
const STEP_MS = 40

describe('a command that is interrupted by kill -9', () => {
  let cli: Cli

  beforeAll(async () => {
    cli = await createCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for([0, 1, 2, 3, 4])(
    'in the middle of a deletion, step %i, leaves a plane that can be deleted, or nothing',
    async (step) => {
      await cli.ok(['create', 'dev', '--ephemeral', '--no-wait'])

      await cutOff(['delete', 'dev', '--yes'], step)

      const listed: Array<{ name: string }> = (await cli.json(['list', '--json'])).items
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

    for (const step of [2, 8]) {
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
    // A busy machine may need longer to start a command than that has work to do.
    await waitFor(() => Promise.resolve(isAtWork(child.pid) || child.exitCode !== null), {
      what: `the work of vplane ${args.join(' ')}`,
      timeoutMs: 60_000,
      intervalMs: 2,
    })
    await Promise.race([delay(step * STEP_MS), ended])
    child.kill('SIGKILL')
    await ended
  }
})

/** Whether a process has opened the lock of a plane, as it does before it changes anything. */
function isAtWork(processId = 0): boolean {
  const folder = `/proc/${processId}/fd`
  try {
    return readdirSync(folder).some((file) => readlinkSync(join(folder, file)).includes('/locks/'))
  } catch {
    // What it had open a moment ago is closed.
    return false
  }
}
