import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { type Cli, createCli } from '../../support/cli/cli.ts'

/** The keeper looks every second; of a busy machine a client may take several to come. */
const IDLE_S = 12

// In their order: all of them are about one plane.
describe('a plane that pauses itself', { shuffle: false }, () => {
  let cli: Cli

  beforeAll(async () => {
    cli = await createCli()
    await cli.ok(['create', 'dev', '--idle', `${IDLE_S}s`, '--set', 'wake.by=plugin', '--connect'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('keeps running while someone uses it', async () => {
    const until = Date.now() + 2 * IDLE_S * 1000
    while (Date.now() < until) {
      const { code, stderr } = await cli.kubectl(['get', 'namespaces'])
      expect(code, stderr).toBe(0)
    }

    expect(keeperLog()).not.toContain('PausedWhenIdle')
    const describedInUse = async () => {
      await cli.kubectl(['get', 'namespaces'])
      return described()
    }
    await expect.poll(describedInUse).toMatchObject({ status: 'Ready', reason: null })
  })

  test('is seen by nobody but its users: looking at it is no use, and nothing of it is left running', async () => {
    const { reason } = await untilPaused()
    await untilNothingRuns()

    expect(reason).toMatch(/^nobody has used it since \d{4}-\d\d-\d\dT.*Z; any use of its context/)
    expect(keeperLog()).toContain('dev: PausedWhenIdle: nobody has used it since')
    expect(await cli.ok(['snapshot', 'list', '--json'])).toContain('"items": []')
  })

  test('is started once by several clients at once, which wait for it and see why', async () => {
    const results = await Promise.all(
      Array.from({ length: 3 }, () => cli.kubectl(['get', 'namespace', 'default', '-o', 'name'])),
    )

    const said = results.map(({ stderr }) => stderr).join('')
    expect(results.map(({ code, stdout }) => [code, stdout])).toEqual(
      results.map(() => [0, 'namespace/default\n']),
    )
    expect(said.match(/vplane: Starting Kubernetes/g)).toHaveLength(1)
  })

  test('is paused after a keeper was killed, as soon as someone has looked at it', async () => {
    for (const { args, id } of cli.processes()) {
      if (args.includes('keeper')) {
        process.kill(id, 'SIGKILL')
      }
    }

    await untilPaused()
    await untilNothingRuns()
  })

  test('runs on when it is told not to pause itself any more', async () => {
    await cli.ok(['resume', 'dev'])
    await cli.ok(['set', 'dev', 'idle-', '--yes'])
    // On a busy machine it may have paused itself before it was told.
    await cli.ok(['resume', 'dev'])

    await waitFor(async () => cli.processes().length === 3, {
      what: 'the end of the keeper',
      timeoutMs: 60_000,
    })
    // On a busy machine one look may get no answer in time.
    await expect.poll(described).toMatchObject({ status: 'Ready', lastUsedAt: null })
  })

  function described(): Promise<PlaneDetails> {
    return cli.json(['describe', 'dev', '--json'])
  }

  function untilPaused(): Promise<PlaneDetails> {
    return waitFor(
      async () => {
        const plane = await described()
        return plane.status === 'Paused' && plane
      },
      { what: 'the pause', timeoutMs: 120_000, intervalMs: 250 },
    )
  }

  function untilNothingRuns(): Promise<unknown> {
    return waitFor(async () => cli.processes().length === 0, {
      what: 'the end of all processes',
      timeoutMs: 60_000,
    })
  }

  function keeperLog(): string {
    return readFileSync(join(cli.root, 'data/vplane/keeper.log'), 'utf8')
  }
})
