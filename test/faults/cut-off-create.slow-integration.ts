import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../../src/shared/wait.ts'
import { type Cli, createCli } from '../support/cli/cli.ts'

const POINTS = 10

describe('a create that is interrupted', () => {
  let cli: Cli
  let durationMs: number

  beforeAll(async () => {
    cli = await createCli()
    const { code, durationMs: measured, stderr } = await cli.run(['create', 'whole'])
    expect(code, stderr).toBe(0)
    durationMs = measured
    await cli.ok(['delete', 'whole', '--yes'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test.for(points())(
    'by kill -9 after %i/10 of its time can be listed, made and deleted',
    async (point) => {
      await cutOff('SIGKILL', point)

      await expectAllListed()
      await cli.ok(['create', 'dev'])
      await expect.poll(statuses).toEqual({ dev: 'Ready' })
      const get = ['kubectl', 'get', 'ns', 'default', '-o', 'name']
      const name = await cli.ok(['connect', 'dev', '--', ...get])
      expect(name).toBe('namespace/default\n')
      await cli.ok(['delete', 'dev', '--yes'])
      expectNothingLeft()
    },
  )

  test.for(points().filter((point) => point % 3 === 1))(
    'by kill -9 after %i/10 of its time can be deleted at once',
    async (point) => {
      await cutOff('SIGKILL', point)

      const said = await cli.ok(['delete', 'dev', '--yes', '--ignore-not-found'])

      // Without a plane there is nobody to ask for: an empty lock file means nothing by being there.
      expectNothingLeft({ mayHoldLocks: said.includes('There is no "dev"') })
    },
  )

  test.for([
    ['SIGINT', 2, 130],
    ['SIGINT', 5, 130],
    ['SIGINT', 8, 130],
    ['SIGTERM', 5, 143],
    ['SIGHUP', 5, 129],
  ] as const)(
    'by a %s after %i/10 of its time leaves nothing that is not listed',
    async ([signal, point, code]) => {
      const ended = await cutOff(signal, point)

      // The signal itself ends what has not come to listen for it: Node.js is still starting.
      expect([code, signal, 0]).toContain(ended)
      await expectAllListed()
      await cli.ok(['delete', 'dev', '--yes', '--ignore-not-found'])
      expectNothingLeft()
    },
  )

  test('by a second Ctrl-C ends at once', async () => {
    const running = cli.start(['create', 'dev'])
    await waitFor(() => Promise.resolve(cli.processes().length > 0), {
      what: 'the first component',
      timeoutMs: 60_000,
      intervalMs: 5,
    })

    running.child.kill('SIGINT')
    running.child.kill('SIGINT')

    expect((await running.ended).code).toBe(130)
    await expectAllListed()
    await cli.ok(['delete', 'dev', '--yes'])
    expectNothingLeft()
  })

  async function cutOff(signal: NodeJS.Signals, point: number): Promise<number | string> {
    const { child, ended } = cli.start(['create', 'dev'])
    await Promise.race([delay((durationMs * point) / POINTS), ended])
    child.kill(signal)
    const { code } = await ended
    return code
  }

  async function statuses(): Promise<Record<string, string>> {
    const planes: Array<{ name: string; status: string }> = (await cli.json(['list', '--json']))
      .items
    return Object.fromEntries(planes.map(({ name, status }) => [name, status]))
  }

  /** Nothing runs that belongs to no plane of the list. */
  async function expectAllListed(): Promise<void> {
    const listed = Object.keys(await statuses())
    expect(cli.processes().length === 0 || listed.includes('dev')).toBe(true)
  }

  function expectNothingLeft({ mayHoldLocks = false } = {}): void {
    const files = cli.files().filter((path) => !(mayHoldLocks && path.startsWith('locks/')))
    expect(cli.processes()).toEqual([])
    expect(files).toEqual([])
    expect(readdirSync(dirname(cli.plane('dev').root))).toEqual([])
  }
})

function points(): number[] {
  return Array.from({ length: POINTS }, (_, index) => index)
}
