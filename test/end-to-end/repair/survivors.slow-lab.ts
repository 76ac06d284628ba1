import { expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { DamagedPlane } from '../../support/host/damage/damaged-plane.ts'
import { createHostCli } from '../../support/host/host-cli.ts'

// One survivor of three is in repair.lab.ts.
describeOnHost('survivors of etcd', () => {
  test('three of five volumes were wiped and the survivors restarted: they give every write that was acknowledged', async () => {
    await using cli = await createHostCli()
    const plane = new DamagedPlane(cli, cli.newNamespace(), 'ill')
    await cli.ok(['create', ...plane.at, '--set', 'etcd.replicas=5'])
    // Until then an empty volume is no loss.
    await plane.untilClosed()

    const taken = await plane.loseMajority({ survivors: [0, 1], wiped: [3, 4, 2] })
    const offer = /continue with the data of vplane-ill-etcd-[01], up to revision \d+ and what else/
    await expect.poll(() => plane.found(), { timeout: 120_000, interval: 1000 }).toMatch(offer)
    const unchosen = await cli.run(['repair', ...plane.at, '--yes'])
    await cli.ok(['repair', ...plane.at, '--yes', '--from-survivor'])

    expect(unchosen.code).toBe(7)
    expect(await plane.lost(taken)).toEqual([])
    await expect.poll(() => plane.readyMembers(), { timeout: 180_000 }).toBe(5)
    await plane.untilWell()
  })
})
