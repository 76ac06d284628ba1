import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlaneDetails } from '../../../src/cli/results/plane-result.ts'
import { compose } from '../../../src/compose/compose.ts'
import { isKeeping } from '../../../src/compose/launcher/keeper-place.ts'
import { pathsOf } from '../../../src/shared/paths.ts'
import { silentUi } from '../../../src/shared/ui.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { type Cli, createCli, type RunningCommand } from '../../support/cli/cli.ts'
import { NOT_READY, untilAnswered } from '../../support/cli/until-answered.ts'
import { watchPort } from '../../support/machine/watch-port.ts'
import { unsharedKeeperArgs } from '../../support/programs/unshared-keeper-args.ts'

const NAMESPACE = ['get', 'namespace', 'default', '-o', 'name']

/** On a busy machine, kube-apiserver takes long until it listens. */
const MOST_GAP_MS = 5000

// In their order: all of them are about one plane, which sleeps before each of them.
describe('a sleeping plane where programs cannot share a port', { shuffle: false }, () => {
  let cli: Cli
  let keeper: RunningCommand
  let port: number
  /** kubectl with this kubeconfig runs no plugin of vplane. */
  let embedded: string

  beforeAll(async () => {
    cli = await createCli()
    const root = pathsOf(cli.environment).data
    keeper = cli.start(unsharedKeeperArgs(root), { program: process.execPath })
    await waitFor(() => isKeeping(root), { what: 'the keeper', timeoutMs: 30_000 })
    embedded = join(cli.root, 'embedded')
    await cli.ok(['create', 'dev', '--idle', '6s'])
    writeFileSync(embedded, await cli.ok(['kubeconfig', 'dev', '--embed-credentials']))
    port = Number(new URL((await described()).server ?? '').port)
  })
  afterAll(async () => {
    await keeper.kill()
    await cli[Symbol.asyncDispose]()
  })

  test('is woken by any client, whose connection is kept, and sleeps again', async () => {
    await untilAsleep()
    using watched = watchPort(port)

    expect(await answered(NAMESPACE)).toBe('namespace/default\n')
    await untilAsleep()

    const gaps = await watched.end()
    const { events, wakes } = await described()
    const by = wakes?.recent.map((wake) => wake.by) ?? []
    expect(new Set(by)).toEqual(new Set(['a program on this machine']))
    // One until kube-apiserver listens, and at most one until the keeper does again.
    expect(gaps.length).toBeLessThanOrEqual(2 * by.length)
    expect(Math.max(...gaps)).toBeLessThan(MOST_GAP_MS)
    expect(events.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['PausedWhenIdle', 'Woken']),
    )
  })

  test('is started beside the keeper, which gives its port to the start', async () => {
    const before = await untilAsleep()
    await using other = compose({
      environment: cli.environment,
      ui: silentUi,
      sharesPorts: false,
    })
    const driver = other.drivers.find(({ name }) => name === 'local')
    const [plane] = (await driver?.find('dev')) ?? []

    if (plane !== undefined && 'spec' in plane) {
      await driver?.start(plane, { ui: silentUi, signal: new AbortController().signal })
    }

    expect(await answered(NAMESPACE)).toBe('namespace/default\n')
    const { server, wakes } = await described()
    expect(Number(new URL(server ?? '').port)).toBe(port)
    expect(wakes?.count).toBe(before.wakes?.count)
  })

  test('stays awake when it was woken three times within an hour and nothing was written', async () => {
    const staysAwake = await waitFor(
      async () => {
        const stays = (await untilAsleep()).wakes?.staysAwake ?? false
        if (stays === false) {
          await answered(NAMESPACE)
        }
        return stays
      },
      { what: 'that it stays awake', timeoutMs: 240_000 },
    )

    expect(staysAwake.reason).toBe(
      'a program on this machine woke it three times within an hour and wrote nothing',
    )
    expect(await cli.ok(['describe', 'dev'])).toContain('a program on this machine')
  })

  function described(): Promise<PlaneDetails> {
    return cli.json(['describe', 'dev', '--json'])
  }

  function answered(args: readonly string[]): Promise<string> {
    const client = () => cli.kubectl(args, { env: { KUBECONFIG: embedded } })
    return untilAnswered(client, NOT_READY)
  }

  /** Waits until nothing runs but the keeper, or until the plane stays awake. */
  function untilAsleep(): Promise<PlaneDetails> {
    return waitFor(
      async () => {
        const names = cli.processes().map(({ name }) => name)
        const plane = await described()
        const isAsleep = plane.status === 'Paused' && !names.includes('etcd')
        return (isAsleep || (plane.wakes?.staysAwake ?? null) !== null) && plane
      },
      { what: 'the pause', timeoutMs: 120_000, intervalMs: 250 },
    )
  }
})
