import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../../src/shared/wait.ts'
import { type Cli, createCli } from '../support/cli/cli.ts'
import { startInformer } from '../support/api/informer.ts'

/** client-go runs the credential plugin, which starts a plane, again after this long. */
const CREDENTIAL_RECHECK_MS = 60_000
/** Besides, client-go's reflector waits up to a minute before it tries again. */
const DEADLINE_MS = 3 * CREDENTIAL_RECHECK_MS
const TIMEOUT_MS = 5 * DEADLINE_MS

describe('a client-go informer that uses the context', () => {
  let cli: Cli
  const add = async (name: string) => {
    const { code, stderr } = await cli.kubectl(['create', 'configmap', name])
    expect(code, stderr).toBe(0)
  }

  beforeAll(async () => {
    cli = await createCli()
    await cli.ok(['create', 'dev', '--connect'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test(
    'continues by itself after a pause, a crash of every component, and without anyone else',
    { timeout: TIMEOUT_MS },
    async () => {
      await using informer = await startInformer(cli)
      const sees = async (name: string) => {
        const startedAt = performance.now()
        await informer.sees(name, DEADLINE_MS)
        return secondsSince(startedAt)
      }
      await add('first')
      await sees('first')

      await cli.ok(['pause', 'dev'])
      await add('after-pause')
      const afterPause = await sees('after-pause')

      await killAll(cli)
      await add('after-crash')
      const afterCrash = await sees('after-crash')

      await killAll(cli)
      const killedAt = performance.now()
      // Nobody but the informer is there to start it now.
      await waitFor(async () => cli.processes().length === 3, {
        what: 'the informer to start the plane',
        timeoutMs: DEADLINE_MS,
      })
      const started = secondsSince(killedAt)
      await add('alone')
      const alone = await sees('alone')

      process.stderr.write(
        `the informer saw an object ${afterPause} s after a pause ended and ${afterCrash} s after a crash was repaired; ` +
          `it repaired one itself after ${started} s and saw the next object ${alone} s later\n`,
      )
      expect(informer.isRunning()).toBe(true)
    },
  )
})

/** Every component dies as in a crash. */
async function killAll(cli: Cli): Promise<void> {
  const ids = cli.processes().map(({ id }) => id)
  for (const id of ids) {
    process.kill(id, 'SIGKILL')
  }
  await waitFor(async () => cli.processes().every(({ id }) => !ids.includes(id)), {
    what: 'the components to end',
    timeoutMs: 60_000,
  })
}

function secondsSince(time: number): number {
  return Math.round((performance.now() - time) / 100) / 10
}
