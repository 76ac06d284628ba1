import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canRunLab } from '../../lab/lab.ts'
import { startWriter } from '../../support/config-map-writer.ts'
import { DamagedPlane } from '../../support/damaged-plane.ts'
import { createHostCli, type HostCli } from '../../support/host-cli.ts'

const TIMEOUT_MS = 600_000

// In their order: both of them break one plane.
describe.skipIf(canRunLab() !== undefined)(
  'survivors of etcd',
  { shuffle: false, timeout: TIMEOUT_MS },
  () => {
    let cli: HostCli
    let plane: DamagedPlane

    beforeAll(async () => {
      cli = await createHostCli()
      plane = new DamagedPlane(cli, cli.newNamespace(), 'ill')
      await cli.ok(['create', ...plane.at, '--set', 'etcd.replicas=3'])
    })
    afterAll(async () => {
      await cli[Symbol.asyncDispose]()
    })

    test.for([
      { count: 3, survivors: [0], wiped: [1, 2] },
      { count: 5, survivors: [0, 1], wiped: [3, 4, 2] },
    ])(
      '$wiped of $count volumes were wiped and the survivors restarted: they give every write that was acknowledged',
      async ({ count, survivors, wiped }) => {
        await cli.ok(['scale', ...plane.at, '--etcd', String(count), '--yes'])
        await plane.untilClosed()
        const writer = await startWriter(cli, plane.at)
        // From now on nothing is acknowledged that a survivor does not have.
        await Promise.all(wiped.slice(0, -1).map((ordinal) => plane.wipe(ordinal)))
        const { length: before } = await writer.soFar()
        const more = async () => (await writer.soFar()).length - before
        await expect.poll(more, { timeout: 60_000, interval: 500 }).toBeGreaterThan(10)

        await Promise.all([
          ...survivors.map((ordinal) => plane.end(ordinal)),
          ...wiped.slice(-1).map((ordinal) => plane.wipe(ordinal)),
        ])
        const { taken } = await writer.stop()
        const offer = /go on from what vplane-ill-etcd-[01] has, up to revision \d+ and what else/
        await expect.poll(() => plane.found(), { timeout: 120_000, interval: 1000 }).toMatch(offer)
        const unchosen = await cli.run(['repair', ...plane.at, '--yes'])
        await cli.ok(['repair', ...plane.at, '--yes', '--from-survivor'])

        expect(unchosen.code).toBe(7)
        expect(await plane.lost(taken)).toEqual([])
        await expect.poll(() => plane.readyMembers(), { timeout: 60_000 }).toBe(count)
        await plane.untilWell()
      },
    )
  },
)
